//! Runs of plans with values in several domains: setup makes triples, labels and sums; other tables are streamed.

use tacit_crypto::Prg;
use tacit_math::{Block, Wiped};
use tacit_ot::rot;
use tacit_plan::Side;
use tacit_twoparty::correlations::{OnlineMatrices, Ots, Pool};
use tacit_twoparty::he::{ComparisonKey, HeKey, HeMaterial};
use tacit_twoparty::yao::YaoError;
use tacit_twoparty::yao::saved;
use tacit_twoparty::yao::streamed::{Evaluator, Garbler};
use tacit_twoparty::{End, SeedOffer, StoredFault};
use zeroize::Zeroizing;

use super::run::{SessionRun, SessionWire};
use crate::drive::context::share_party;
use crate::drive::drive_domains;
use crate::drive::outputs::Revealed;
use crate::inputs::PartyInputs;
use crate::prices::{self, SetupRequirement};
use crate::{Failure, Operation};
use tacit_schedule::walk::WalkError;

/// The material that setup has made for protocols on shares, and a seed that both parties know.
struct SetupMaterial {
    pool: Pool,
    seed: Zeroizing<[Block; 1]>,
    /// The material of encrypted words, if there are any.
    he: Option<HeMaterial>,
    /// The material of matrix products that lattices compute online, and the session's keys for lattices.
    matrices: OnlineMatrices,
}

impl SessionRun<'_> {
    /// A run with a setup of its own.
    pub async fn run_domains(&mut self, inputs: &PartyInputs) -> Result<Vec<Revealed>, Failure> {
        let required = prices::setup_requirement(self.context.priced())?;
        match self.context.me {
            Side::Garbler => {
                let (side, mut made) = self.prepared_garbler(&required).await?;
                made.he = self.he_material(&required).await?;
                self.garbler_online(side, made, inputs).await
            }
            Side::Evaluator => {
                let (side, mut made) = self.prepared_evaluator(&required).await?;
                made.he = self.he_material(&required).await?;
                self.evaluator_online(side, made, inputs).await
            }
        }
    }

    /// The setup of one run, as bytes: the seed, the pool, and saved labels. Secret.
    pub async fn domains_material(&mut self) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let required = prices::stored_requirement(self.context.priced())?;
        let (made, labels) = match self.context.me {
            Side::Garbler => {
                let (side, made) = self.prepared_garbler(&required).await?;
                let (labels, channel, ots) = side.save();
                self.keep_sender(channel, ots);
                (made, labels)
            }
            Side::Evaluator => {
                let (side, made) = self.prepared_evaluator(&required).await?;
                let (labels, channel, ots) = side.save();
                self.keep_receiver(channel, ots);
                (made, labels)
            }
        };
        self.wire.lattice_keys = made.matrices.into_keys();
        let he = match self.entry_encryption(&required).await? {
            Some(material) => material.into_bytes()?,
            None => Wiped::default(),
        };
        let pool = made.pool.to_bytes();
        let size = Block::BYTES + pool.len() + he.len() + labels.len();
        let mut bytes = Zeroizing::new(Vec::with_capacity(size));
        let parts = [Block::as_bytes(&*made.seed), &pool, &he, &labels];
        parts.into_iter().for_each(|part| bytes.extend_from_slice(part));
        Ok(bytes)
    }

    /// The online phase of a run with the material from [`SessionRun::domains_material`].
    pub async fn spend_domains(
        &mut self,
        material: &[u8],
        inputs: &PartyInputs,
    ) -> Result<Vec<Revealed>, Failure> {
        let required = prices::stored_requirement(self.context.priced())?;
        let pool_bytes = required.pool.packed_bytes().and_then(|bytes| usize::try_from(bytes).ok());
        let parts = material.split_first_chunk().zip(pool_bytes);
        let parts = parts.and_then(|((seed, rest), bytes)| Some((seed, rest.split_at_checked(bytes)?)));
        let (seed, (pool, labels)) = parts.ok_or_else(|| {
            let needed =
                pool_bytes.map_or(u64::MAX, |bytes| (Block::BYTES as u64).saturating_add(bytes as u64));
            let fault = StoredFault::Short { needed, left: material.len() as u64 };
            YaoError::Stored { what: "material", fault }
        })?;
        let seed = Zeroizing::new([Block::from_bytes(*seed)]);
        let (he, labels) = match required.stored_encryption() {
            Some(stored) => {
                let (material, labels) = stored.read(share_party(self.context.me), labels)?;
                (Some(material), labels)
            }
            None => (None, labels),
        };
        let matrices = OnlineMatrices::new(required.online, std::mem::take(&mut self.wire.lattice_keys));
        let made = SetupMaterial { pool: Pool::from_bytes(&required.pool, pool)?, seed, he, matrices };
        let required =
            saved::LabelRequirement { labels: required.labels, sums: &required.sums, scheme: self.scheme() };
        let channel = self.take()?;
        match self.context.me {
            Side::Garbler => {
                let side = Garbler::resume(channel, required, labels, Prg::from_os()?)?;
                self.garbler_online(side, made, inputs).await
            }
            Side::Evaluator => {
                let side = Evaluator::resume(channel, required, labels)?;
                self.evaluator_online(side, made, inputs).await
            }
        }
    }

    /// Makes the material of protocols on shares; returns the transfers of both directions, for labels.
    async fn make_material(
        &mut self,
        required: &SetupRequirement<'_>,
    ) -> Result<(SetupMaterial, rot::Sender, rot::Receiver), Failure> {
        let party = share_party(self.context.me);
        let shares = self.wire.shares.as_mut().ok_or(WalkError::Domain)?;
        let offer = SeedOffer::send(shares, &mut Prg::from_os()?).await?;
        let (extension, mut prg) = (self.extension(), Prg::from_os()?);
        let (channel, transfers) = self.transfers()?;
        let (sender, receiver) = transfers.both(channel, party, extension, &mut prg).await?;
        let mut ots = Ots::new(party, sender, receiver, prg);
        let channel = self.channel(Operation::Triples)?;
        channel.flush().await?;
        let (by_transfers, matrices, words) =
            prices::lattices::split(&required.pool, self.context.plan.lattices());
        let mut keys = std::mem::take(&mut self.wire.lattice_keys);
        let channel = self.channel(Operation::Triples)?;
        let mut pool = Pool::make(&mut ots, channel, &by_transfers).await?;
        matrices.make(&mut ots, &mut keys, channel, &mut pool).await?;
        words.make(&mut ots, &mut keys, channel, &mut pool).await?;
        let mut matrices = OnlineMatrices::new(required.online.clone(), keys);
        matrices.meet(channel, &mut Prg::from_os()?).await?;
        channel.flush().await?;
        let (sender, receiver) = ots.into_sessions();
        let shares = self.wire.shares.as_mut().ok_or(WalkError::Domain)?;
        let seed = Zeroizing::new([offer.agree(shares).await?]);
        Ok((SetupMaterial { pool, seed, he: None, matrices }, sender, receiver))
    }

    /// Computes randomness for encrypted words, under the session's keys, which are made on first use.
    async fn he_material(&mut self, required: &SetupRequirement<'_>) -> Result<Option<HeMaterial>, Failure> {
        if required.ciphertexts.is_empty() {
            return Ok(None);
        }
        self.operation = Operation::Encryption;
        let (party, mut prg) = (share_party(self.context.me), Prg::from_os()?);
        let key = match self.wire.he_keys[party.index()].take() {
            Some(key) => key,
            None => {
                let shares = self.wire.shares.as_mut().ok_or(WalkError::Domain)?;
                HeKey::meet(shares, party, required.he, &mut prg).await?
            }
        };
        let material = key.prepare(required.ciphertexts, &mut prg)?;
        self.wire.he_keys[party.index()] = Some(key);
        if required.compared_bits == [0; 2] {
            return Ok(Some(material));
        }
        let key = match self.wire.comparison_keys[party.index()].take() {
            Some(key) => key,
            None => {
                let shares = self.wire.shares.as_mut().ok_or(WalkError::Domain)?;
                ComparisonKey::meet(shares, party, required.he).await?
            }
        };
        let comparator = key.prepare(required.compared_bits)?;
        self.wire.comparison_keys[party.index()] = Some(key);
        Ok(Some(material.with_comparisons(comparator)))
    }

    /// As [`SessionRun::he_material`], under keys of this entry alone, so that one entry of a store reveals nothing about another.
    async fn entry_encryption(
        &mut self,
        required: &SetupRequirement<'_>,
    ) -> Result<Option<HeMaterial>, Failure> {
        let SessionWire { he_keys, comparison_keys, .. } = &mut self.wire;
        let of_session = (std::mem::take(he_keys), std::mem::take(comparison_keys));
        let material = self.he_material(required).await;
        (self.wire.he_keys, self.wire.comparison_keys) = of_session;
        material
    }

    async fn prepared_garbler(
        &mut self,
        required: &SetupRequirement<'_>,
    ) -> Result<(Garbler, SetupMaterial), Failure> {
        let (made, sender, receiver) = self.make_material(required).await?;
        self.wire.transfers.keep_receiver(self.extension(), receiver);
        let side = Garbler::start(self.take()?, sender, Prg::from_os()?).await?;
        let mut side = side.with_scheme(self.scheme());
        side.prepare(required.labels, &required.sums).await?;
        Ok((side, made))
    }

    async fn prepared_evaluator(
        &mut self,
        required: &SetupRequirement<'_>,
    ) -> Result<(Evaluator, SetupMaterial), Failure> {
        let (made, sender, receiver) = self.make_material(required).await?;
        self.wire.transfers.keep_sender(self.extension(), sender);
        let mut side = Evaluator::start(self.take()?, receiver).await?.with_scheme(self.scheme());
        side.prepare(required.labels, &required.sums).await?;
        Ok((side, made))
    }

    async fn garbler_online(
        &mut self,
        mut side: Garbler,
        made: SetupMaterial,
        inputs: &PartyInputs,
    ) -> Result<Vec<Revealed>, Failure> {
        let mut end = self.end_of(made)?;
        side.begin_phase();
        end.begin_phase();
        self.begin_online(side.channel(), end.channel());
        let (revealed, end) =
            drive_domains(self.context, &mut side, end, inputs, &mut self.operation).await?;
        let (channel, sender) = side.finish();
        self.keep_sender(channel, sender);
        self.keep_end(end);
        Ok(revealed)
    }

    async fn evaluator_online(
        &mut self,
        mut side: Evaluator,
        made: SetupMaterial,
        inputs: &PartyInputs,
    ) -> Result<Vec<Revealed>, Failure> {
        let mut end = self.end_of(made)?;
        side.begin_phase();
        end.begin_phase();
        self.begin_online(side.channel(), end.channel());
        let (revealed, end) =
            drive_domains(self.context, &mut side, end, inputs, &mut self.operation).await?;
        let (channel, receiver) = side.finish();
        self.keep_receiver(channel, receiver);
        self.keep_end(end);
        Ok(revealed)
    }

    /// Takes back what later runs of the session also use.
    fn keep_end(&mut self, mut end: End) {
        self.wire.lattice_keys = end.take_matrices().into_keys();
        self.wire.shares = Some(end.finish());
    }

    fn end_of(&mut self, made: SetupMaterial) -> Result<End, Failure> {
        let SetupMaterial { pool, seed, he, matrices } = made;
        let shares = self.wire.shares.take().ok_or(WalkError::Domain)?;
        let party = share_party(self.context.me);
        let end = End::resume(shares, party, (pool, seed[0]), Prg::from_os()?).with_matrices(matrices);
        Ok(match he {
            Some(material) => end.with_encryption(material),
            None => end,
        })
    }
}
