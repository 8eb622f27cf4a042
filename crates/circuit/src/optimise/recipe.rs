//! Few ANDs for a function of up to six variables.
//!
//! Two functions that differ by an affine function, or by an affine map of their variables, need equally many
//! ANDs. For up to four variables, all such classes are searched once. With more variables, functions of
//! degree two have an optimal normal form, linear structures are removed, and the rest is split along the
//! hyperplane that costs least.
//!
//! Sources: Boyar, Peralta and Pochuev, On the multiplicative complexity of Boolean functions over the basis (∧, ⊕, 1)
//! (2000); Turan and Peralta, The multiplicative complexity of Boolean functions on four and five variables (2014);
//! Testa, Soeken, Amarù and De Micheli, Reducing the multiplicative complexity in logic networks for cryptography and
//! security applications (2019); Dickson's theorem on quadratic forms (1901).

use std::sync::OnceLock;

use foldhash::HashMap;

use super::function::{
    AFFINE_MONOMIALS, VARIABLE, VARIABLES, added, affine, depends, exchanged, normal_form, of_degree,
    restricted,
};

/// An affine function of variables and ANDs: bits 0 to 5 for the variables, bit `6 + g` for AND `g`, bit 31 for the
/// constant 1.
pub(super) type Form = u32;

/// The constant 1.
pub(super) const ONE: Form = 1 << 31;

/// The most ANDs of a recipe: two functions of five variables with at most seven ANDs each, and one AND that
/// joins them.
pub(super) const MOST_ANDS: usize = 15;

/// A function as ANDs of affine forms, each of which may use earlier ANDs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Recipe {
    ands: [[Form; 2]; MOST_ANDS],
    count: u8,
    pub(super) output: Form,
}

impl Recipe {
    pub(super) fn ands(&self) -> &[[Form; 2]] {
        &self.ands[..self.count as usize]
    }

    fn gate(&mut self, a: Form, b: Form) -> Form {
        self.ands[self.count as usize] = [a, b];
        self.count += 1;
        1 << (VARIABLES + self.count as usize - 1)
    }

    /// Appends `other` with its variable `v` replaced by `variables[v]`, and returns its output.
    fn append(&mut self, other: &Recipe, variables: &[Form; VARIABLES]) -> Form {
        let mut gates = [0; MOST_ANDS];
        for (at, [a, b]) in other.ands().iter().enumerate() {
            let (a, b) = (substituted(*a, variables, &gates), substituted(*b, variables, &gates));
            gates[at] = self.gate(a, b);
        }
        substituted(other.output, variables, &gates)
    }
}

fn substituted(form: Form, variables: &[Form; VARIABLES], gates: &[Form]) -> Form {
    variables
        .iter()
        .chain(gates)
        .enumerate()
        .filter(|(place, _)| form >> place & 1 == 1)
        .fold(form & ONE, |sum, (_, value)| sum ^ value)
}

/// The monomials of degree two.
const PRODUCTS: u64 = of_degree(2);

/// The variables themselves.
const IDENTITY: [Form; VARIABLES] = [1, 2, 4, 8, 16, 32];

/// Recipes found so far. A recipe depends only on its function.
#[derive(Default)]
pub(super) struct Recipes {
    known: Vec<Recipe>,
    /// Where the recipe of each normal form is.
    places: HashMap<u64, u32>,
    counts: Counts,
}

impl Recipes {
    /// The number of ANDs of a function's recipe.
    pub(super) fn and_count(&mut self, table: u64) -> u8 {
        if let Some(count) = self.counts.get(table) {
            return count;
        }
        let count = self.nonlinear(normal_form(table) & !AFFINE_MONOMIALS).count;
        self.counts.put(table, count);
        count
    }

    /// A recipe of a function.
    pub(super) fn of(&mut self, table: u64) -> Recipe {
        let form = normal_form(table);
        let mut recipe = *self.nonlinear(form & !AFFINE_MONOMIALS);
        recipe.output ^= affine_form(form ^ normal_form(value(&recipe)));
        recipe
    }

    /// A recipe of a function given by its normal form without affine terms, up to an affine function.
    fn nonlinear(&mut self, form: u64) -> &Recipe {
        if let Some(recipe) = small(form) {
            return recipe;
        }
        let place = match self.places.get(&form) {
            Some(place) => *place,
            None => {
                let recipe = self.find(form);
                self.known.push(recipe);
                *self.places.entry(form).or_insert(self.known.len() as u32 - 1)
            }
        };
        &self.known[place as usize]
    }

    fn find(&mut self, form: u64) -> Recipe {
        if form & !PRODUCTS == 0 {
            return quadratic(form);
        }
        let table = normal_form(form);
        match packed(table).or_else(|| without_structure(table)) {
            Some((reduced, variables)) => {
                let inner = self.of(reduced);
                let mut recipe = Recipe::default();
                recipe.output = recipe.append(&inner, &variables);
                recipe
            }
            None => self.split(table),
        }
    }

    /// `f = l · (f1 + f0) + f0`, where `l` is the linear function that gives the fewest ANDs, and `f1` and
    /// `f0` are `f` restricted to where `l` is 1 and 0.
    fn split(&mut self, table: u64) -> Recipe {
        let mut best: Option<(u8, u64, u32)> = None;
        // Every function needs at least its degree minus one ANDs.
        let bound = degree(normal_form(table)).saturating_sub(1);
        for linear in 1..1u32 << VARIABLES {
            if (0..VARIABLES).any(|v| linear >> v & 1 == 1 && !depends(table, v)) {
                continue;
            }
            // In coordinates where the last variable of `linear` is `linear` itself.
            let top = linear.ilog2() as usize;
            let turned = (0..top).filter(|v| linear >> v & 1 == 1).fold(table, |t, v| added(t, v, top));
            let (zero, one) = (restricted(turned, top, false), restricted(turned, top, true));
            let some = 1 + self.and_count(zero);
            if best.is_some_and(|(least, ..)| some >= least) {
                continue;
            }
            let cost = some + self.and_count(zero ^ one);
            if best.is_none_or(|(least, ..)| cost < least) {
                best = Some((cost, turned, linear));
            }
            if cost <= bound {
                break;
            }
        }
        let Some((_, turned, linear)) = best else { return Recipe::default() };
        let top = linear.ilog2() as usize;
        let (zero, one) = (restricted(turned, top, false), restricted(turned, top, true));
        let (zero, difference) = (self.of(zero), self.of(zero ^ one));
        let mut recipe = Recipe::default();
        let zero = recipe.append(&zero, &IDENTITY);
        let difference = recipe.append(&difference, &IDENTITY);
        recipe.output = zero ^ recipe.gate(linear, difference);
        recipe
    }
}

/// The degree of a normal form.
fn degree(form: u64) -> u8 {
    (0..64u32).filter(|m| form >> m & 1 == 1).map(|m| m.count_ones() as u8).max().unwrap_or(0)
}

/// The ANDs of recently requested functions, each at the only index that its table allows.
struct Counts(Vec<(u64, u8)>);

/// The number of entries of [`Counts`], as a power of two.
const COUNTS_LOG: u32 = 12;

impl Default for Counts {
    /// The constant 0, which needs no ANDs, everywhere.
    fn default() -> Self {
        Counts(vec![(0, 0); 1 << COUNTS_LOG])
    }
}

impl Counts {
    fn place(table: u64) -> usize {
        (table.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - COUNTS_LOG)) as usize
    }

    fn get(&self, table: u64) -> Option<u8> {
        let (known, count) = self.0[Counts::place(table)];
        (known == table).then_some(count)
    }

    fn put(&mut self, table: u64, count: u8) {
        self.0[Counts::place(table)] = (table, count);
    }
}

/// The affine part of a normal form.
fn affine_form(form: u64) -> Form {
    let linear = (0..VARIABLES).filter(|v| form >> (1u32 << v) & 1 == 1).fold(0, |sum, v| sum | 1 << v);
    linear | (form as u32 & 1) << 31
}

/// The table of a recipe.
fn value(recipe: &Recipe) -> u64 {
    let mut gates = [0u64; MOST_ANDS];
    let read = |form: Form, gates: &[u64]| {
        let used = gates.iter().enumerate().filter(|(gate, _)| form >> (VARIABLES + gate) & 1 == 1);
        used.fold(affine(form), |sum, (_, value)| sum ^ value)
    };
    for (at, [a, b]) in recipe.ands().iter().enumerate() {
        gates[at] = read(*a, &gates) & read(*b, &gates);
    }
    read(recipe.output, &gates)
}

/// A quadratic form as products of linear forms, half as many as its rank: `xy + xA + yB + C = (x + B)(y + A)
/// + AB + C`.
fn quadratic(form: u64) -> Recipe {
    let mut recipe = Recipe::default();
    let mut rest = form;
    while let Some(monomial) = (0..64u32).find(|m| m.count_ones() == 2 && rest >> m & 1 == 1) {
        let (x, y) = (monomial.trailing_zeros(), monomial.ilog2());
        let partners = |v: u32| {
            (0..6).filter(|w| *w != v && rest >> (1u32 << v | 1 << w) & 1 == 1).fold(0, |sum, w| sum | 1 << w)
        };
        let (a, b) = (partners(x), partners(y));
        // `a` is y + A and `b` is x + B.
        let gate = recipe.gate(a, b);
        recipe.output ^= gate;
        rest ^= normal_form(affine(a) & affine(b)) & PRODUCTS;
    }
    recipe
}

/// A function of at most four variables moved to the lowest four, if it is not there yet, and the forms of
/// these variables.
fn packed(table: u64) -> Option<(u64, [Form; VARIABLES])> {
    let used: Vec<usize> = (0..VARIABLES).filter(|v| depends(table, *v)).collect();
    if used.len() > 4 || used.iter().all(|v| *v < 4) {
        return None;
    }
    let mut variables = IDENTITY;
    let mut packed = table;
    for (place, variable) in used.into_iter().enumerate() {
        packed = exchanged(packed, place, variable);
        variables[place] = IDENTITY[variable];
    }
    Some((packed, variables))
}

/// The function in fewer variables, if there is a direction along which it is affine, and these variables as
/// forms.
fn without_structure(table: u64) -> Option<(u64, [Form; VARIABLES])> {
    let direction = (1..1usize << VARIABLES).find(|direction| {
        let top = direction.ilog2() as usize;
        depends(table, top) && {
            let moved = (0..VARIABLES).filter(|v| direction >> v & 1 == 1).fold(table, |t, v| {
                restricted(t, v, true) & !VARIABLE[v] | restricted(t, v, false) & VARIABLE[v]
            });
            [0, u64::MAX].contains(&(moved ^ table))
        }
    })?;
    // Coordinates in which the direction is that of its top variable: the top one is added to the others.
    let top = direction.ilog2() as usize;
    let others: Vec<usize> = (0..top).filter(|v| direction >> v & 1 == 1).collect();
    let turned = others.iter().fold(table, |t, v| added(t, top, *v));
    let mut variables = IDENTITY;
    others.iter().for_each(|v| variables[*v] ^= 1 << top);
    Some((restricted(turned, top, false), variables))
}

/// The recipe of a normal form without affine terms that uses at most four variables.
fn small(form: u64) -> Option<&'static Recipe> {
    match form & (VARIABLE[4] | VARIABLE[5]) {
        0 => table_of_four()[index_of(form)].as_ref(),
        _ => None,
    }
}

/// The eleven coefficients of degree two and more of a normal form in four variables, as a number: those of the
/// monomials 3, 5 to 7, and 9 to 15.
fn index_of(form: u64) -> usize {
    (form >> 3 & 1 | (form >> 5 & 7) << 1 | (form >> 9 & 0x7f) << 4) as usize
}

/// The best recipe of every function of four variables, up to affine functions; all are optimal.
fn table_of_four() -> &'static [Option<Recipe>] {
    static TABLE: OnceLock<Vec<Option<Recipe>>> = OnceLock::new();
    TABLE.get_or_init(search_four)
}

/// All affine functions of four variables.
fn affine_of_four() -> impl Iterator<Item = Form> + Clone {
    (0..32u32).map(|form| form & 15 | (form >> 4) << 31)
}

/// The search for recipes of functions of four variables.
struct Search {
    found: Vec<Option<Recipe>>,
    left: usize,
}

impl Search {
    /// Keeps a recipe if the class of its function has none yet; returns whether it had none.
    fn record(&mut self, table: u64, ands: &[[Form; 2]], output: Form) -> bool {
        let place = &mut self.found[index_of(normal_form(table))];
        let is_new = place.is_none();
        if is_new {
            let mut recipe = Recipe::default();
            ands.iter().for_each(|[a, b]| _ = recipe.gate(*a, *b));
            *place = Some(Recipe { output, ..recipe });
            self.left -= 1;
        }
        is_new
    }
}

/// Finds recipes of zero, one, two and three ANDs, in this order.
///
/// One AND is a product of affine functions; with two, the second's operands may use the first; and a
/// function of degree four, the only remaining kind, is a product of two functions of one AND each, up to
/// functions of fewer ANDs.
fn search_four() -> Vec<Option<Recipe>> {
    let mut search = Search { found: vec![None; 1 << 11], left: 1 << 11 };
    search.record(0, &[], 0);
    let [first, second, third] = [0, 1, 2].map(|gate| 1 << (VARIABLES + gate));
    let mut products: Vec<([Form; 2], u64)> = Vec::new();
    for (a, b) in (1..16u32).flat_map(|a| (1..a).map(move |b| (a, b))) {
        if search.record(affine(a) & affine(b), &[[a, b]], first) {
            products.push(([a, b], affine(a) & affine(b)));
        }
    }
    for (gate, t) in &products {
        let forms =
            affine_of_four().flat_map(|form| [(form, affine(form)), (form | first, affine(form) ^ t)]);
        let forms: Vec<(Form, u64)> = forms.collect();
        for (place, (a, x)) in forms.iter().enumerate() {
            for (b, y) in &forms[..place] {
                search.record(x & y, &[*gate, [*a, *b]], second);
                search.record(x & y ^ t, &[*gate, [*a, *b]], second | first);
            }
        }
    }
    for ((gate, t), (other, u)) in products.iter().flat_map(|p| products.iter().map(move |q| (p, q))) {
        for (a, b) in affine_of_four().flat_map(|a| affine_of_four().map(move |b| (a, b))) {
            let product = (t ^ affine(a)) & (u ^ affine(b));
            let ands = [*gate, *other, [first ^ a, second ^ b]];
            search.record(product, &ands, third);
            search.record(product ^ t, &ands, third | first);
            search.record(product ^ u, &ands, third | second);
            search.record(product ^ t ^ u, &ands, third | first | second);
        }
        if search.left == 0 {
            break;
        }
    }
    search.found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_variables_take_what_is_known_to_be_least() {
        let counts = table_of_four().iter().map(|recipe| recipe.as_ref().map(|recipe| recipe.ands().len()));
        let mut of_each = [0; 4];
        counts.for_each(|count| of_each[count.expect("a recipe for every class")] += 1);
        // Quadratic forms of rank 2: 35. Of rank 4, and cubic ones: two. Of degree four: three.
        assert_eq!(of_each, [1, 35, 988, 1024]);
    }

    #[test]
    fn recipes_compute_their_functions() {
        let mut recipes = Recipes::default();
        for table in 0..=u16::MAX {
            let table = u64::from(table) * 0x0001_0001_0001_0001;
            assert_eq!(value(&recipes.of(table)), table);
        }
        let mut state = 1u64;
        for round in 0..300 {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let table = match round % 3 {
                0 => state,
                // Five variables, and few monomials.
                1 => restricted(state, 5, false),
                _ => normal_form(state & state.rotate_left(17) & state.rotate_left(41)),
            };
            let recipe = recipes.of(table);
            assert_eq!(value(&recipe), table);
            assert_eq!(recipe.ands().len(), recipes.and_count(table) as usize);
        }
    }

    #[test]
    fn well_known_functions_take_few_ands() {
        let mut recipes = Recipes::default();
        let [a, b, c, d, e, f] = VARIABLE;
        let majority = a & b ^ a & c ^ b & c;
        let mut count = |table| recipes.and_count(table);
        assert_eq!(count(a ^ b ^ c ^ d ^ e ^ f), 0);
        assert_eq!([majority, a & b | !a & c].map(&mut count), [1, 1]);
        assert_eq!(count(a & b & c & d & e & f), 5);
        assert_eq!(count(a & b ^ c & d ^ e & f), 3);
        // A product of sums, of four variables in other coordinates.
        assert_eq!(count((a ^ e) & (b ^ f) & (c ^ e)), 2);
        assert!(count((a ^ majority) & (d ^ majority) ^ majority) <= 3);
    }
}
