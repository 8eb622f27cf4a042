//! Reading the text form: declarations, templates, netlists.

use super::ParseError;
use super::lexer::{Lexer, Place, Token};
use crate::field::to_limbs;
use crate::{
    BuildError, Builder, Field, FieldId, MAX_SHAPE_DEPTH, Netlist, NetlistGate, Program, RoleId, Shape,
    TemplateId, Type, ValueId, ValueType,
};

type Parsed<T> = Result<T, ParseError>;

/// Reads tokens with a lookahead of one.
pub(super) struct Parser<'t> {
    lexer: Lexer<'t>,
    token: Token<'t>,
    place: Place,
}

pub(super) fn program(text: &str) -> Parsed<Program> {
    let mut lexer = Lexer::new(text);
    let (token, place) = lexer.next()?;
    Parser { lexer, token, place }.program()
}

impl<'t> Parser<'t> {
    fn program(mut self) -> Parsed<Program> {
        self.word("tacit")?;
        let place = self.place;
        if self.number::<u32>()? != 1 {
            return Err(place.error("this version reads text form 1"));
        }
        let mut program = Builder::new(&self.name()?);
        let mut roles = Vec::new();
        loop {
            let place = self.place;
            match self.take()? {
                Token::Word("role") => self.role(&mut program, &mut roles)?,
                Token::Word("field") => self.field(&mut program)?,
                Token::Word("input") => self.input(&mut program, &roles)?,
                Token::Word("output") => self.output(&mut program, &roles)?,
                Token::Word("template") => self.template(&mut program)?,
                Token::Word("netlist") => self.netlist(&mut program)?,
                Token::Word("main") => return self.main(program),
                token => {
                    return Err(place.error(format!("{} does not begin a declaration", token.describe())));
                }
            }
        }
    }

    fn role(&mut self, program: &mut Builder, roles: &mut Vec<String>) -> Parsed<()> {
        let place = self.place;
        let name = self.name()?;
        if program.role(&name).index() != roles.len() {
            return Err(place.error(format!("the role {name:?} occurs twice")));
        }
        roles.push(name);
        Ok(())
    }

    fn field(&mut self, program: &mut Builder) -> Parsed<()> {
        let place = self.place;
        let field = match self.take()? {
            Token::Word("gf256") => Field::Gf256,
            Token::Word("prime") => Field::Prime(to_limbs(&self.hex()?)),
            token => return Err(place.error(format!("{} is not a kind of field", token.describe()))),
        };
        field.check().map_err(|reason| place.error(reason))?;
        let known = program.fields();
        match program.field(field).index() == known {
            true => Ok(()),
            false => Err(place.error("the field occurs twice")),
        }
    }

    fn input(&mut self, program: &mut Builder, roles: &[String]) -> Parsed<()> {
        let place = self.place;
        let name = self.name()?;
        self.word("of")?;
        let role = self.known_role(roles)?;
        self.mark(':')?;
        let shape = self.shape(MAX_SHAPE_DEPTH)?;
        program.input(&name, role, shape).map(drop).map_err(at(place))
    }

    fn output(&mut self, program: &mut Builder, roles: &[String]) -> Parsed<()> {
        let place = self.place;
        let name = self.name()?;
        self.word("to")?;
        let receivers = self.separated(|parser| parser.known_role(roles))?;
        if !receivers.is_sorted_by(|a, b| a < b) {
            return Err(place.error("roles are not in the order of their declaration"));
        }
        self.mark(':')?;
        let shape = self.shape(MAX_SHAPE_DEPTH)?;
        program.output(&name, receivers, shape).map(drop).map_err(at(place))
    }

    fn known_role(&mut self, roles: &[String]) -> Parsed<RoleId> {
        let place = self.place;
        let name = self.name()?;
        let known = roles.iter().position(|role| *role == name);
        known.map(|role| RoleId(role as u32)).ok_or_else(|| place.error(format!("there is no role {name:?}")))
    }

    fn shape(&mut self, depth: usize) -> Parsed<Shape> {
        let place = self.place;
        let below = depth.checked_sub(1).ok_or_else(|| place.error("a shape nests too deeply"))?;
        match self.take()? {
            Token::Word(text) if text.starts_with(['u', 'i']) => {
                let bits =
                    text[1..].parse().map_err(|_| place.error(format!("`{text}` is not an integer type")))?;
                Ok(Shape::Integer { bits, signed: text.starts_with('i') })
            }
            Token::Word("f32") => Ok(Shape::Float { bits: 32 }),
            Token::Word("f64") => Ok(Shape::Float { bits: 64 }),
            Token::Mark('[') => {
                let length = self.number()?;
                self.mark(']')?;
                Ok(Shape::Array { length, element: Box::new(self.shape(below)?) })
            }
            Token::Mark('{') => {
                let members = self.separated(|parser| {
                    let name = parser.name()?;
                    parser.mark(':')?;
                    Ok((name, parser.shape(below)?))
                })?;
                self.mark('}')?;
                Ok(Shape::Struct(members))
            }
            token => Err(place.error(format!("{} is not a shape", token.describe()))),
        }
    }

    /// A template's number, name, parameters and results.
    fn signature(&mut self, program: &Builder) -> Parsed<(String, Vec<ValueType>, Vec<ValueType>)> {
        let place = self.place;
        if self.template_id()?.index() != program.scope().templates.len() {
            return Err(place.error(format!("the next template is @{}", program.scope().templates.len())));
        }
        let name = self.name()?;
        self.mark('(')?;
        let parameters = self.until(')', Self::value_type)?;
        self.mark('>')?;
        self.mark('(')?;
        let results = self.until(')', Self::value_type)?;
        self.mark('{')?;
        Ok((name, parameters, results))
    }

    fn template(&mut self, program: &mut Builder) -> Parsed<()> {
        let place = self.place;
        let (name, parameters, types) = self.signature(program)?;
        let mut body = program.template(&name, parameters);
        let results = self.operations(program, &mut body)?;
        self.check_types("returns", place, &types, results.iter().map(|value| body.value_type(*value)))?;
        program.add(body, results).map(drop).map_err(at(place))
    }

    fn main(mut self, program: Builder) -> Parsed<Program> {
        let place = self.place;
        let (name, parameters, types) = self.signature(&program)?;
        let mut body = program.template(&name, parameters);
        let results = self.operations(&program, &mut body)?;
        if !types.is_empty() || !results.is_empty() {
            return Err(place.error("main has results"));
        }
        match self.token {
            Token::End => program.finish(body).map_err(at(place)),
            _ => Err(self.unexpected("the end after main")),
        }
    }

    fn netlist(&mut self, program: &mut Builder) -> Parsed<()> {
        let place = self.place;
        let (name, parameters, results) = self.signature(program)?;
        let mut gates = Vec::new();
        let mut first = None;
        while let Token::Number(_) = self.token {
            let place = self.place;
            let wire: u32 = self.number()?;
            let first = *first.get_or_insert(wire);
            if u64::from(wire) != u64::from(first) + gates.len() as u64 {
                return Err(place.error("gates are not in order"));
            }
            self.mark('=')?;
            gates.push(self.gate()?);
        }
        self.word("return")?;
        let outputs = self.until('}', |parser| {
            parser.mark('[')?;
            parser.until(']', Self::number)
        })?;
        let bits = |ty: &ValueType| {
            if let Type::Word(bits) = ty.ty { u64::from(bits).saturating_mul(ty.lanes) } else { 0 }
        };
        let inputs = parameters.iter().map(bits).fold(0, u64::saturating_add);
        if first.is_some_and(|first| u64::from(first) != inputs) {
            return Err(place.error(format!("the first gate is not wire {inputs}")));
        }
        program
            .add_netlist(&name, parameters, results, Netlist { gates, outputs })
            .map(drop)
            .map_err(at(place))
    }

    fn gate(&mut self) -> Parsed<NetlistGate> {
        let place = self.place;
        let gate = self.take()?;
        let mut two = || {
            let a = self.number()?;
            self.mark(',')?;
            Ok((a, self.number()?))
        };
        match gate {
            Token::Word("xor") => two().map(|(a, b)| NetlistGate::Xor(a, b)),
            Token::Word("and") => two().map(|(a, b)| NetlistGate::And(a, b)),
            Token::Word("not") => self.number().map(NetlistGate::Not),
            Token::Word("true") => Ok(NetlistGate::Constant(true)),
            Token::Word("false") => Ok(NetlistGate::Constant(false)),
            token => Err(place.error(format!("{} is not a gate", token.describe()))),
        }
    }

    /// Compares declared types with actual ones.
    pub(super) fn check_types(
        &self,
        what: &str,
        place: Place,
        declared: &[ValueType],
        found: impl Iterator<Item = ValueType> + Clone,
    ) -> Parsed<()> {
        if declared.iter().copied().eq(found.clone()) {
            return Ok(());
        }
        let show =
            |types: Vec<ValueType>| types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let (declared, found) = (show(declared.to_vec()), show(found.collect()));
        Err(place.error(format!("it {what} ({found}) where ({declared}) is declared")))
    }

    pub(super) fn value_type(&mut self) -> Parsed<ValueType> {
        let place = self.place;
        let bad = |text: &str| place.error(format!("`{text}` is not a type such as `w32x1`"));
        let Token::Word(text) = self.take()? else {
            return Err(place.error("a type such as `w32x1` is missing"));
        };
        let (ty, lanes) = text.split_once('x').ok_or_else(|| bad(text))?;
        let (ty, lanes) = (element_type(ty).ok_or_else(|| bad(text))?, lanes.parse().map_err(|_| bad(text))?);
        Ok(ValueType { ty, lanes })
    }

    pub(super) fn template_id(&mut self) -> Parsed<TemplateId> {
        self.mark('@')?;
        self.number().map(TemplateId)
    }

    pub(super) fn value(&mut self) -> Parsed<ValueId> {
        self.mark('%')?;
        self.number().map(ValueId)
    }

    /// One or more items separated by commas.
    pub(super) fn separated<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.take_if(',')? {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Any number of items separated by commas, then `end`.
    pub(super) fn until<T>(&mut self, end: char, item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        if self.take_if(end)? {
            return Ok(Vec::new());
        }
        let items = self.separated(item)?;
        self.mark(end)?;
        Ok(items)
    }

    pub(super) fn number<T: std::str::FromStr>(&mut self) -> Parsed<T> {
        let place = self.place;
        match self.take()? {
            Token::Number(text) => text
                .parse()
                .map_err(|_| place.error(format!("{} is not in range", Token::Number(text).describe()))),
            token => Err(place.error(format!("{} where a number is expected", token.describe()))),
        }
    }

    /// The digits of a hexadecimal number, most significant first.
    pub(super) fn hex(&mut self) -> Parsed<Vec<u8>> {
        let place = self.place;
        let digits = match self.take()? {
            Token::Number(text) => text.strip_prefix("0x").map(str::as_bytes),
            _ => None,
        };
        let value = |digit: &u8| (*digit as char).to_digit(16).map(|digit| digit as u8);
        let digits =
            digits.filter(|digits| !digits.is_empty()).and_then(|digits| digits.iter().map(value).collect());
        digits.ok_or_else(|| place.error("a number such as `0x1f` is missing"))
    }

    fn name(&mut self) -> Parsed<String> {
        let place = self.place;
        match self.take()? {
            Token::Name(name) => Ok(name),
            token => Err(place.error(format!("{} where a name in quotes is expected", token.describe()))),
        }
    }

    pub(super) fn word(&mut self, wanted: &str) -> Parsed<()> {
        match self.token {
            Token::Word(word) if word == wanted => self.take().map(drop),
            _ => Err(self.unexpected(&format!("`{wanted}`"))),
        }
    }

    pub(super) fn mark(&mut self, wanted: char) -> Parsed<()> {
        match self.take_if(wanted)? {
            true => Ok(()),
            false => Err(self.unexpected(&Token::Mark(wanted).describe())),
        }
    }

    pub(super) fn take_if(&mut self, mark: char) -> Parsed<bool> {
        let found = self.token == Token::Mark(mark);
        if found {
            self.take()?;
        }
        Ok(found)
    }

    pub(super) fn peek(&self) -> &Token<'t> {
        &self.token
    }

    pub(super) fn place(&self) -> Place {
        self.place
    }

    pub(super) fn take(&mut self) -> Parsed<Token<'t>> {
        let (next, place) = self.lexer.next()?;
        self.place = place;
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn unexpected(&self, wanted: &str) -> ParseError {
        self.place.error(format!("{} where {wanted} is expected", self.token.describe()))
    }
}

/// `w32` or `f0`.
pub(super) fn element_type(text: &str) -> Option<Type> {
    match text.split_at_checked(1)? {
        ("w", bits) => bits.parse().ok().map(Type::Word),
        ("f", field) => field.parse().ok().map(|field| Type::Field(FieldId(field))),
        _ => None,
    }
}

pub(super) fn at(place: Place) -> impl Fn(BuildError) -> ParseError {
    move |error| place.error(error.to_string())
}
