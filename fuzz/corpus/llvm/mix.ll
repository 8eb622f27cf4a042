; ModuleID = 'seed.c'
source_filename = "seed.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux"

%struct.pair = type { i16, i8 }

@INPUT_B_pairs = dso_local global [2 x %struct.pair] zeroinitializer, align 4, !dbg !0
@list = internal constant [4 x i8] c"\03\01\04\01", align 1, !dbg !11
@table = internal global [2 x ptr] [ptr @add, ptr null], align 16, !dbg !18
@.str = private unnamed_addr constant [7 x i8] c"abc\0A\22\FF\00", align 1, !dbg !5

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i64 @mix(i32 noundef %0, double noundef %1) #0 !dbg !41 {
  %3 = alloca i64, align 8
  %4 = alloca i32, align 4
  %5 = alloca double, align 8
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  store i32 %0, ptr %4, align 4
    #dbg_declare(ptr %4, !47, !DIExpression(), !48)
  store double %1, ptr %5, align 8
    #dbg_declare(ptr %5, !49, !DIExpression(), !50)
    #dbg_declare(ptr %6, !51, !DIExpression(), !53)
  store i32 0, ptr %6, align 4, !dbg !53
    #dbg_declare(ptr %7, !54, !DIExpression(), !56)
  store i32 0, ptr %7, align 4, !dbg !56
  br label %8, !dbg !57

8:                                                ; preds = %29, %2
  %9 = load i32, ptr %7, align 4, !dbg !58
  %10 = icmp slt i32 %9, 2, !dbg !60
  br i1 %10, label %11, label %32, !dbg !61

11:                                               ; preds = %8
  %12 = load i32, ptr %7, align 4, !dbg !62
  %13 = sext i32 %12 to i64, !dbg !63
  %14 = getelementptr inbounds [2 x %struct.pair], ptr @INPUT_B_pairs, i64 0, i64 %13, !dbg !63
  %15 = getelementptr inbounds nuw %struct.pair, ptr %14, i32 0, i32 1, !dbg !64
  %16 = load i8, ptr %15, align 2, !dbg !64
  %17 = shl i8 %16, 1, !dbg !64
  %18 = ashr i8 %17, 1, !dbg !64
  %19 = sext i8 %18 to i32, !dbg !64
  %20 = load i32, ptr %4, align 4, !dbg !65
  %21 = and i32 %20, 3, !dbg !66
  %22 = sext i32 %21 to i64, !dbg !67
  %23 = getelementptr inbounds [4 x i8], ptr @list, i64 0, i64 %22, !dbg !67
  %24 = load i8, ptr %23, align 1, !dbg !67
  %25 = zext i8 %24 to i32, !dbg !67
  %26 = mul nsw i32 %19, %25, !dbg !68
  %27 = load i32, ptr %6, align 4, !dbg !69
  %28 = add i32 %27, %26, !dbg !69
  store i32 %28, ptr %6, align 4, !dbg !69
  br label %29, !dbg !70

29:                                               ; preds = %11
  %30 = load i32, ptr %7, align 4, !dbg !71
  %31 = add nsw i32 %30, 1, !dbg !71
  store i32 %31, ptr %7, align 4, !dbg !71
  br label %8, !dbg !72, !llvm.loop !73

32:                                               ; preds = %8
  %33 = load i32, ptr %4, align 4, !dbg !76
  switch i32 %33, label %43 [
    i32 1, label %34
    i32 -5, label %38
  ], !dbg !77

34:                                               ; preds = %32
  %35 = load ptr, ptr @table, align 16, !dbg !78
  %36 = call i32 %35(i32 noundef 1, i32 noundef 2), !dbg !78
  %37 = sext i32 %36 to i64, !dbg !78
  store i64 %37, ptr %3, align 8, !dbg !80
  br label %50, !dbg !80

38:                                               ; preds = %32
  %39 = load double, ptr %5, align 8, !dbg !81
  %40 = fcmp ogt double %39, 1.000000e+09, !dbg !82
  %41 = zext i1 %40 to i32, !dbg !82
  %42 = sext i32 %41 to i64, !dbg !81
  store i64 %42, ptr %3, align 8, !dbg !83
  br label %50, !dbg !83

43:                                               ; preds = %32
  %44 = load i32, ptr %4, align 4, !dbg !84
  %45 = and i32 %44, 3, !dbg !85
  %46 = sext i32 %45 to i64, !dbg !86
  %47 = getelementptr inbounds [7 x i8], ptr @.str, i64 0, i64 %46, !dbg !86
  %48 = load i8, ptr %47, align 1, !dbg !86
  %49 = sext i8 %48 to i64, !dbg !86
  store i64 %49, ptr %3, align 8, !dbg !87
  br label %50, !dbg !87

50:                                               ; preds = %43, %38, %34
  %51 = load i64, ptr %3, align 8, !dbg !88
  ret i64 %51, !dbg !88
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @add(i32 noundef %0, i32 noundef %1) #0 !dbg !89 {
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  store i32 %0, ptr %3, align 4
    #dbg_declare(ptr %3, !90, !DIExpression(), !91)
  store i32 %1, ptr %4, align 4
    #dbg_declare(ptr %4, !92, !DIExpression(), !93)
  %5 = load i32, ptr %3, align 4, !dbg !94
  %6 = load i32, ptr %4, align 4, !dbg !95
  %7 = add nsw i32 %5, %6, !dbg !96
  ret i32 %7, !dbg !97
}

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!33, !34, !35, !36, !37, !38, !39}
!llvm.ident = !{!40}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "INPUT_B_pairs", scope: !2, file: !3, line: 1, type: !27, isLocal: false, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, producer: "clang version 22.1.8", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, globals: !4, splitDebugInlining: false, nameTableKind: None)
!3 = !DIFile(filename: "seed.c", directory: ".", checksumkind: CSK_MD5, checksum: "ed7e2dbfe0e29b7132d1f6d65312d75a")
!4 = !{!5, !0, !11, !18}
!5 = !DIGlobalVariableExpression(var: !6, expr: !DIExpression())
!6 = distinct !DIGlobalVariable(scope: null, file: !3, line: 9, type: !7, isLocal: true, isDefinition: true)
!7 = !DICompositeType(tag: DW_TAG_array_type, baseType: !8, size: 56, elements: !9)
!8 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!9 = !{!10}
!10 = !DISubrange(count: 7)
!11 = !DIGlobalVariableExpression(var: !12, expr: !DIExpression())
!12 = distinct !DIGlobalVariable(name: "list", scope: !2, file: !3, line: 2, type: !13, isLocal: true, isDefinition: true)
!13 = !DICompositeType(tag: DW_TAG_array_type, baseType: !14, size: 32, elements: !16)
!14 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !15)
!15 = !DIBasicType(name: "unsigned char", size: 8, encoding: DW_ATE_unsigned_char)
!16 = !{!17}
!17 = !DISubrange(count: 4)
!18 = !DIGlobalVariableExpression(var: !19, expr: !DIExpression())
!19 = distinct !DIGlobalVariable(name: "table", scope: !2, file: !3, line: 4, type: !20, isLocal: true, isDefinition: true)
!20 = !DICompositeType(tag: DW_TAG_array_type, baseType: !21, size: 128, elements: !25)
!21 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !22, size: 64)
!22 = !DISubroutineType(types: !23)
!23 = !{!24, !24, !24}
!24 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!25 = !{!26}
!26 = !DISubrange(count: 2)
!27 = !DICompositeType(tag: DW_TAG_array_type, baseType: !28, size: 64, elements: !25)
!28 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "pair", file: !3, line: 1, size: 32, elements: !29)
!29 = !{!30, !32}
!30 = !DIDerivedType(tag: DW_TAG_member, name: "low", scope: !28, file: !3, line: 1, baseType: !31, size: 16)
!31 = !DIBasicType(name: "short", size: 16, encoding: DW_ATE_signed)
!32 = !DIDerivedType(tag: DW_TAG_member, name: "rest", scope: !28, file: !3, line: 1, baseType: !24, size: 7, offset: 16, flags: DIFlagBitField, extraData: i64 16)
!33 = !{i32 7, !"Dwarf Version", i32 5}
!34 = !{i32 2, !"Debug Info Version", i32 3}
!35 = !{i32 1, !"wchar_size", i32 4}
!36 = !{i32 8, !"PIC Level", i32 2}
!37 = !{i32 7, !"PIE Level", i32 2}
!38 = !{i32 7, !"uwtable", i32 2}
!39 = !{i32 7, !"frame-pointer", i32 2}
!40 = !{!"clang version 22.1.8"}
!41 = distinct !DISubprogram(name: "mix", scope: !3, file: !3, line: 5, type: !42, scopeLine: 5, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, retainedNodes: !46)
!42 = !DISubroutineType(types: !43)
!43 = !{!44, !24, !45}
!44 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!45 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
!46 = !{}
!47 = !DILocalVariable(name: "INPUT_A_x", arg: 1, scope: !41, file: !3, line: 5, type: !24)
!48 = !DILocation(line: 5, column: 14, scope: !41)
!49 = !DILocalVariable(name: "INPUT_A_d", arg: 2, scope: !41, file: !3, line: 5, type: !45)
!50 = !DILocation(line: 5, column: 32, scope: !41)
!51 = !DILocalVariable(name: "OUTPUT_sum", scope: !41, file: !3, line: 6, type: !52)
!52 = !DIBasicType(name: "unsigned int", size: 32, encoding: DW_ATE_unsigned)
!53 = !DILocation(line: 6, column: 14, scope: !41)
!54 = !DILocalVariable(name: "i", scope: !55, file: !3, line: 7, type: !24)
!55 = distinct !DILexicalBlock(scope: !41, file: !3, line: 7, column: 5)
!56 = !DILocation(line: 7, column: 14, scope: !55)
!57 = !DILocation(line: 7, column: 10, scope: !55)
!58 = !DILocation(line: 7, column: 21, scope: !59)
!59 = distinct !DILexicalBlock(scope: !55, file: !3, line: 7, column: 5)
!60 = !DILocation(line: 7, column: 23, scope: !59)
!61 = !DILocation(line: 7, column: 5, scope: !55)
!62 = !DILocation(line: 7, column: 61, scope: !59)
!63 = !DILocation(line: 7, column: 47, scope: !59)
!64 = !DILocation(line: 7, column: 64, scope: !59)
!65 = !DILocation(line: 7, column: 76, scope: !59)
!66 = !DILocation(line: 7, column: 86, scope: !59)
!67 = !DILocation(line: 7, column: 71, scope: !59)
!68 = !DILocation(line: 7, column: 69, scope: !59)
!69 = !DILocation(line: 7, column: 44, scope: !59)
!70 = !DILocation(line: 7, column: 33, scope: !59)
!71 = !DILocation(line: 7, column: 29, scope: !59)
!72 = !DILocation(line: 7, column: 5, scope: !59)
!73 = distinct !{!73, !61, !74, !75}
!74 = !DILocation(line: 7, column: 89, scope: !55)
!75 = !{!"llvm.loop.mustprogress"}
!76 = !DILocation(line: 8, column: 13, scope: !41)
!77 = !DILocation(line: 8, column: 5, scope: !41)
!78 = !DILocation(line: 8, column: 41, scope: !79)
!79 = distinct !DILexicalBlock(scope: !41, file: !3, line: 8, column: 24)
!80 = !DILocation(line: 8, column: 34, scope: !79)
!81 = !DILocation(line: 8, column: 73, scope: !79)
!82 = !DILocation(line: 8, column: 83, scope: !79)
!83 = !DILocation(line: 8, column: 66, scope: !79)
!84 = !DILocation(line: 9, column: 26, scope: !41)
!85 = !DILocation(line: 9, column: 36, scope: !41)
!86 = !DILocation(line: 9, column: 12, scope: !41)
!87 = !DILocation(line: 9, column: 5, scope: !41)
!88 = !DILocation(line: 10, column: 1, scope: !41)
!89 = distinct !DISubprogram(name: "add", scope: !3, file: !3, line: 3, type: !22, scopeLine: 3, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition, unit: !2, retainedNodes: !46)
!90 = !DILocalVariable(name: "a", arg: 1, scope: !89, file: !3, line: 3, type: !24)
!91 = !DILocation(line: 3, column: 20, scope: !89)
!92 = !DILocalVariable(name: "b", arg: 2, scope: !89, file: !3, line: 3, type: !24)
!93 = !DILocation(line: 3, column: 27, scope: !89)
!94 = !DILocation(line: 3, column: 39, scope: !89)
!95 = !DILocation(line: 3, column: 43, scope: !89)
!96 = !DILocation(line: 3, column: 41, scope: !89)
!97 = !DILocation(line: 3, column: 32, scope: !89)
