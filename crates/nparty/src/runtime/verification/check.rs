//! The verification of a batch at one party.

use std::sync::Arc;

use tacit_crypto::Prg;
use tacit_math::Wiped;
use tacit_math::field::Field;

use super::coefficients::{Coefficients, uniform};
use super::coins::{Coins, SEED_BYTES, Seed};
use super::line::Line;
use super::records::{Factors, Record, lifted};
use crate::error::VerificationError;
use crate::parties::{Parties, PartyIndex};
use crate::product::Products;
use crate::product::compression::{Claim, Compression, LAST_LENGTH, pieces_of};
use crate::product::opening::CheckedOpening;
use crate::product::vector::Vector;
use crate::prss::{Prss, Purpose};
use crate::runtime::value::ValueElements;

/// The first step of the check itself; before it, parties only agree on what to verify: see [`super`].
pub(crate) const FIRST_STEP: u64 = 2;

/// Why a verification failed, and because of whom, if known.
pub(crate) struct Failure {
    pub(crate) error: VerificationError,
    pub(crate) peer: Option<PartyIndex>,
}

impl Failure {
    fn of(peer: PartyIndex, error: VerificationError) -> Failure {
        Failure { error, peer: Some(peer) }
    }
}

impl From<VerificationError> for Failure {
    fn from(error: VerificationError) -> Failure {
        Failure { error, peer: None }
    }
}

/// An element of the extension, in which everything is verified.
type LargeElement<F> = <<F as Field>::Extension as Field>::Element;

/// A party's means for a verification.
pub(crate) struct Means<F: Field> {
    /// The field of the verified elements.
    pub(crate) field: F,
    pub(crate) products: Arc<Products<F::Extension>>,
    pub(crate) opening: Arc<CheckedOpening<F::Extension>>,
    /// The keys of this verification.
    pub(crate) keys: Prss<F::Extension>,
    /// The verification's number, and a hash of what it verifies.
    pub(crate) number: u64,
    pub(crate) cut: Seed,
}

/// A verification in progress.
pub(crate) struct Check<F: Field> {
    means: Means<F>,
    line: Line,
    step: u64,
    /// Number of random elements and products so far.
    drawn: u64,
    multiplied: u64,
}

impl<F: Field> Check<F> {
    pub(crate) fn new(means: Means<F>, line: Line) -> Self {
        Check { means, line, step: FIRST_STEP, drawn: 0, multiplied: 0 }
    }

    fn me(&self) -> PartyIndex {
        self.means.keys.me()
    }

    fn others(&self) -> Parties {
        let parties = self.means.keys.scheme().parties();
        (0..parties).filter(|party| *party != self.me()).collect()
    }

    /// The extension.
    fn field(&self) -> F::Extension {
        self.means.keys.scheme().field().clone()
    }

    fn next_step(&mut self) -> u64 {
        self.step += 1;
        self.step - 1
    }

    /// Everything is computed in the extension of the field, where a wrong sum is zero only with the probability that statistical security allows. Shares in the field are shares in
    /// the extension, of the same degree.
    ///
    /// 1. All parties send what they verify, and commitments to their coins. By then, each has everything that it verifies.
    /// 2. They toss a coin, and compare the commitments that they received.
    /// 3. With coefficients from the coin, all inputs and products are summed to one sharing, which is opened under a mask: the shares of all parties must be of degree t.
    /// 4. With the same coefficients, all products become the claim of one inner product, which is compressed. For each compression the parties compute products and toss a coin.
    /// 5. The last claim is opened. A random product in it hides everything else.
    ///
    /// Source: Boneh, Boyle, Corrigan-Gibbs, Gilboa and Ishai (CRYPTO'19) for compression, in the form of Goyal and Song (“Malicious security comes free”, 2020), sections 4.3 to 4.5.
    pub(crate) async fn run(mut self, records: Vec<Record<F>>, prg: &mut Prg) -> Result<(), Failure> {
        let mut coins = self.agree(prg).await?;
        let mut coin = self.toss(&mut coins).await?;
        let (sum, mut claim) = self.combined(records, &mut coin);
        let sum_step = self.tell(&[sum]);
        if let Some(mut claim) = claim.take() {
            while claim.left.len() > LAST_LENGTH {
                let pieces = pieces_of(claim.left.len());
                let compression = Compression::new(&self.field(), claim, pieces);
                claim = self.compress(compression, &mut coins).await?;
            }
            let masks = (self.random(), self.random());
            let last = self.compress(Compression::last(&self.field(), claim, masks), &mut coins).await?;
            // If all shares have degree t, the opened sum only depends on masks.
            self.opened(sum_step, &[sum]).await?;
            let shares = [last.left.to_wiped()[0], last.right.to_wiped()[0], last.value];
            let step = self.tell(&shares);
            let [left, right, value] = self.opened(step, &shares).await?[..] else {
                return Err(VerificationError::Products.into());
            };
            return match self.field().mul(left, right) == value {
                true => Ok(()),
                false => Err(VerificationError::Products.into()),
            };
        }
        self.opened(sum_step, &[sum]).await.map(drop)
    }

    /// Step 1.
    async fn agree(&mut self, prg: &mut Prg) -> Result<Coins, Failure> {
        let (mut coins, bound) = Coins::new(prg);
        let step = self.next_step();
        let told = [self.means.cut, bound].concat();
        self.others().iter().for_each(|peer| self.line.send(peer, step, told.clone()));
        let mut all = vec![bound; self.means.keys.scheme().parties()];
        for (peer, [cut, bound]) in self.hear_seeds(self.others(), step).await? {
            if cut != self.means.cut {
                return Err(Failure::of(peer, VerificationError::OtherBatch));
            }
            all[peer] = bound;
        }
        coins.expect(all);
        Ok(coins)
    }

    /// Step 2, and the coin of each compression.
    async fn toss(&mut self, coins: &mut Coins) -> Result<Prg, Failure> {
        let (step, own, view) = (self.next_step(), coins.next(), coins.view());
        let told = [own, view].concat();
        self.others().iter().for_each(|peer| self.line.send(peer, step, told.clone()));
        let mut all = vec![own; self.means.keys.scheme().parties()];
        for (peer, [seed, theirs]) in self.hear_seeds(self.others(), step).await? {
            if theirs != view {
                return Err(Failure::of(peer, VerificationError::OtherCoins));
            }
            all[peer] = seed;
        }
        coins.toss(all).map_err(|peer| Failure::of(peer, VerificationError::Seed))
    }

    /// Receives two numbers of [`SEED_BYTES`] from each.
    async fn hear_seeds(
        &mut self,
        from: Parties,
        step: u64,
    ) -> Result<Vec<(PartyIndex, [Seed; 2])>, Failure> {
        let mut heard = Vec::new();
        for (peer, bytes) in self.line.hear(from, step).await {
            let ([first, second], []) = bytes.as_chunks::<SEED_BYTES>() else {
                let (length, expected) = (bytes.len(), 2 * SEED_BYTES);
                return Err(Failure::of(peer, VerificationError::Length { length, expected }));
            };
            heard.push((peer, [*first, *second]));
        }
        Ok(heard)
    }

    /// This party's share of the masked sum of all shares, and its part of the joint claim of all products.
    fn combined(
        &mut self,
        records: Vec<Record<F>>,
        coin: &mut Prg,
    ) -> (LargeElement<F>, Option<Claim<F::Extension>>) {
        let field = self.field();
        let mut coefficients = Coefficients::new(&field, coin, records.iter().map(Record::length).sum());
        let factors = records
            .iter()
            .filter_map(|record| record.factors.as_ref().map(|factors| factors.length(record.length())))
            .sum();
        let mut products = ProductSum::new(&field, factors);
        let mut inputs = LargeElement::<F>::default();
        for Record { factors, shares } in records {
            let shares = lifted(&self.means.field, &shares);
            match factors.map(|factors| factors.lifted(&self.means.field)) {
                Some(factors) => products.add(factors, shares.as_slice(), &mut coefficients),
                None => inputs = field.add(inputs, weighted(&field, shares.as_slice(), &mut coefficients)),
            }
        }
        let sum = field.add(field.add(inputs, products.value), self.random());
        (sum, products.claim())
    }

    /// This party's share of a random element.
    fn random(&mut self) -> LargeElement<F> {
        let mut share = [LargeElement::<F>::default()];
        self.means.keys.random(Purpose::RANDOM, self.drawn, &mut share);
        self.drawn += 1;
        share[0]
    }

    /// Sends shares to all others, for [`Check::opened`].
    fn tell(&mut self, shares: &[LargeElement<F>]) -> u64 {
        let (step, bytes) = (self.next_step(), encoded(&self.field(), shares));
        self.others().iter().for_each(|peer| self.line.send(peer, step, bytes.clone()));
        step
    }

    /// The values of all parties' shares.
    async fn opened(&mut self, step: u64, own: &[LargeElement<F>]) -> Result<Vec<LargeElement<F>>, Failure> {
        let mut all = vec![own.to_vec(); self.means.keys.scheme().parties()];
        for (peer, theirs) in self.hear(self.others(), step, own.len()).await? {
            all[peer] = theirs;
        }
        let all: Vec<_> = all.iter().map(|shares| &shares[..]).collect();
        Ok(self.means.opening.open(&all).ok_or(VerificationError::Sharings)?)
    }

    async fn hear(
        &mut self,
        from: Parties,
        step: u64,
        count: usize,
    ) -> Result<Vec<(PartyIndex, Vec<LargeElement<F>>)>, Failure> {
        let (field, mut heard) = (self.field(), Vec::new());
        for (peer, bytes) in self.line.hear(from, step).await {
            let (length, expected) = (bytes.len(), count * field.bytes());
            if length != expected {
                return Err(Failure::of(peer, VerificationError::Length { length, expected }));
            }
            let mut elements = vec![LargeElement::<F>::default(); count];
            let decoded = field.decode_all(&bytes, &mut elements);
            decoded.map_err(|_| Failure::of(peer, VerificationError::NotInField))?;
            heard.push((peer, elements));
        }
        Ok(heard)
    }

    /// Step 4: products at all points, and the claim at a random one.
    async fn compress(
        &mut self,
        compression: Compression<F::Extension>,
        coins: &mut Coins,
    ) -> Result<Claim<F::Extension>, Failure> {
        let products = self.products(compression.products()).await?;
        let mut coin = self.toss(coins).await?;
        let field = self.field();
        // At a piece's point the claim would be the piece's own, and the mask would have no effect.
        let small =
            |point: LargeElement<F>| (0..=LAST_LENGTH as u64).any(|piece| field.element(piece) == point);
        let mut point = uniform(&field, &mut coin, 1)[0];
        while small(point) {
            point = uniform(&field, &mut coin, 1)[0];
        }
        Ok(compression.at(point, &products))
    }

    /// This party's shares of degree t of the values with these shares of degree 2t.
    async fn products(&mut self, mut local: Vec<LargeElement<F>>) -> Result<Wiped<LargeElement<F>>, Failure> {
        let (first, count, field) = (self.multiplied, local.len(), self.field());
        self.multiplied += count as u64;
        let products = self.means.products.clone();
        match &*products {
            Products::Replicated(replicated) => {
                replicated.mask(&self.means.keys, first, &mut local);
                let step = self.next_step();
                self.line.send(replicated.next(), step, encoded(&field, &local));
                let from = Parties::from_iter([replicated.previous()]);
                let heard = self.hear(from, step, count).await?;
                heard.iter().for_each(|(_, theirs)| replicated.finish(&field, &mut local, theirs));
                Ok(local.into())
            }
            Products::Kings(kings) => {
                let king = &kings[((self.means.number + self.step) % kings.len() as u64) as usize];
                let mut random = Wiped::from(vec![LargeElement::<F>::default(); count]);
                king.mask_apart(&self.means.keys, first, &mut local, &mut random);
                let mut own = self.with_king(king, Wiped::from(local)).await?;
                field.sub_assign(&mut own, &random);
                Ok(own)
            }
        }
    }

    /// This party's shares of masked products, from a king.
    async fn with_king(
        &mut self,
        king: &crate::product::King<F::Extension>,
        masked: Wiped<LargeElement<F>>,
    ) -> Result<Wiped<LargeElement<F>>, Failure> {
        let (me, count, field) = (self.me(), masked.len(), self.field());
        let (to_king, from_king) = (self.next_step(), self.next_step());
        let mut own = Wiped::from(vec![LargeElement::<F>::default(); count]);
        if king.king() != me {
            if king.speaks(me) {
                self.line.send(king.king(), to_king, encoded(&field, &masked));
            }
            if king.is_told(me) {
                let heard = self.hear(Parties::from_iter([king.king()]), from_king, count).await?;
                heard.iter().for_each(|(_, theirs)| own.copy_from_slice(theirs));
            }
            return Ok(own);
        }
        let mut opened = Wiped::from(vec![LargeElement::<F>::default(); count]);
        king.hear(me, &masked, &mut opened);
        let speakers = self.others().iter().filter(|party| king.speaks(*party)).collect();
        for (peer, theirs) in self.hear(speakers, to_king, count).await? {
            king.hear(peer, &theirs, &mut opened);
        }
        for peer in self.others().iter().filter(|party| king.is_told(*party)) {
            king.shares_of(peer, &opened, &mut own);
            self.line.send(peer, from_king, encoded(&field, &own));
        }
        king.shares_of(me, &opened, &mut own);
        Ok(own)
    }
}

fn encoded<F: Field>(field: &F, elements: &[F::Element]) -> Vec<u8> {
    let mut bytes = vec![0; elements.len() * field.bytes()];
    field.encode_all(elements, &mut bytes);
    bytes
}

/// The sum of elements, weighted with the next coefficients.
fn weighted<F: Field>(
    field: &F,
    mut elements: &[F::Element],
    coefficients: &mut Coefficients<F>,
) -> F::Element {
    let mut sum = F::Element::default();
    while !elements.is_empty() {
        let next = coefficients.next(elements.len());
        let (these, others) = elements.split_at(next.len());
        sum = field.add(sum, field.dot(next, these));
        elements = others;
    }
    sum
}

/// A party's shares of the joint claim of products: an inner product of two vectors.
struct ProductSum<F: Field> {
    field: F,
    /// Wiped in the end, so it has capacity for all.
    left: Vec<F::Element>,
    right: Vector<F>,
    value: F::Element,
}

impl<F: Field> ProductSum<F> {
    /// For products with this many left factors.
    fn new(field: &F, factors: usize) -> Self {
        let (left, right) = (Vec::with_capacity(factors), Vector::new());
        ProductSum { field: field.clone(), left, right, value: F::Element::default() }
    }

    fn add(&mut self, factors: Factors<F>, products: &[F::Element], coefficients: &mut Coefficients<F>) {
        match factors {
            Factors::Elements(a, b) => {
                self.add_elements(a.as_slice(), products, coefficients);
                match b {
                    ValueElements::One(b) => self.right.append_equal(b, products.len()),
                    ValueElements::Many(ref b) => self.right.append(b.clone()),
                }
            }
            Factors::Matrices(a, b, sizes) => {
                let taken = coefficients.take(products.len());
                self.value = self.field.add(self.value, self.field.dot(&taken, products));
                self.left.extend_from_slice(a.as_slice());
                let weighted = sizes.weighted(&self.field, b.as_slice(), &taken);
                self.right.append(Arc::new(Wiped::from(weighted)));
            }
        }
    }

    /// Adds products of elements with others, or of a single one with all others: left factors and products are weighted with coefficients.
    fn add_elements(
        &mut self,
        a: &[F::Element],
        products: &[F::Element],
        coefficients: &mut Coefficients<F>,
    ) {
        let (field, mut done) = (&self.field, 0);
        while done < products.len() {
            let next = coefficients.next(products.len() - done);
            let (start, end) = (self.left.len(), done + next.len());
            self.value = field.add(self.value, field.dot(next, &products[done..end]));
            self.left.extend_from_slice(next);
            match a {
                [one] => field.combine(&mut self.left[start..], &[next], &[*one]),
                many => field.mul_assign(&mut self.left[start..], &many[done..end]),
            }
            done = end;
        }
    }

    /// The claim, if there are products.
    fn claim(self) -> Option<Claim<F>> {
        let ProductSum { left, mut right, value, .. } = self;
        right.finish();
        (!left.is_empty()).then(|| Claim { left: Vector::from(left), right, value })
    }
}
