//! Messages by `bevy_replicon`: one server and its clients, each with an app of its own beside its game.
//! Packets may be lost, so that every message says all that it takes to make use of it.

use bevy::prelude::*;
use bevy::state::app::StatesPlugin;
use bevy::time::TimeUpdateStrategy;
use bevy_replicon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;

use crate::link::Link;

/// What is said.
pub trait News: Serialize + DeserializeOwned + Send + Sync + 'static {}
impl<T: Serialize + DeserializeOwned + Send + Sync + 'static> News for T {}

/// From the server.
#[derive(Message, Serialize, Deserialize)]
struct Down<T>(T);

/// To the server.
#[derive(Message, Serialize, Deserialize)]
struct Up<T>(T);

/// The end that serves: it says `D`, and hears `U`.
pub struct Host<D, U> {
    app: App,
    clients: Vec<(Entity, Link)>,
    says: PhantomData<(D, U)>,
}

/// The end of a client: it hears `D`, and says `U`.
pub struct Guest<D, U> {
    app: App,
    link: Link,
    says: PhantomData<(D, U)>,
}

fn network<D: News, U: News>() -> App {
    let mut app = App::new();
    let replicon = RepliconPlugins.build();
    let replicon = replicon.set(RepliconSharedPlugin { auth_method: AuthMethod::None });
    app.add_plugins((MinimalPlugins, StatesPlugin, replicon))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_server_message::<Down<D>>(Channel::Unreliable)
        .make_message_independent::<Down<D>>()
        .add_client_message::<Up<U>>(Channel::Unreliable);
    app.finish();
    app.cleanup();
    app
}

impl<D: News, U: News> Host<D, U> {
    pub fn new(links: impl IntoIterator<Item = Link>) -> Self {
        let mut app = network::<D, U>();
        let world = app.world_mut();
        world.resource_mut::<NextState<ServerState>>().set(ServerState::Running);
        let clients = links.into_iter().map(|link| {
            let client = ConnectedClient { max_size: 1200 };
            (world.spawn(client).id(), link)
        });
        let clients = clients.collect();
        Self { app, clients, says: PhantomData }
    }

    /// Sends what there is to say to clients, and gives what has come from them.
    pub fn exchange(&mut self, tick: u32, news: Vec<(usize, D)>) -> Vec<(usize, U)> {
        let Self { app, clients, .. } = self;
        for (client, link) in &mut *clients {
            let mut messages = app.world_mut().resource_mut::<ServerMessages>();
            let arrived = link.receive(tick).into_iter();
            arrived.for_each(|(on, message)| messages.insert_received(*client, on, message));
        }
        for (to, news) in news {
            let targets = SendTargets::Single(ClientId::Client(clients[to].0));
            app.world_mut().write_message(ToClients { targets, message: Down(news) });
        }
        app.update();
        let world = app.world_mut();
        for (client, on, message) in world.resource_mut::<ServerMessages>().drain_sent() {
            let link = clients.iter_mut().find(|(other, _)| *other == client);
            link.into_iter().for_each(|(_, link)| link.send(on, &message));
        }
        let mut heard = world.resource_mut::<Messages<FromClient<Up<U>>>>();
        let place =
            |from: ClientId| clients.iter().position(|(client, _)| from.entity() == Some(*client));
        heard.drain().filter_map(|from| Some((place(from.client_id)?, from.message.0))).collect()
    }

    /// Bytes sent to a client.
    pub fn sent(&self, client: usize) -> usize {
        self.clients[client].1.sent
    }
}

impl<D: News, U: News> Guest<D, U> {
    pub fn new(link: Link) -> Self {
        let mut app = network::<D, U>();
        app.world_mut().resource_mut::<NextState<ClientState>>().set(ClientState::Connected);
        Self { app, link, says: PhantomData }
    }

    /// Sends what there is to say, and gives what has come from the server.
    pub fn exchange(&mut self, tick: u32, news: U) -> Vec<D> {
        let world = self.app.world_mut();
        let mut messages = world.resource_mut::<ClientMessages>();
        let arrived = self.link.receive(tick).into_iter();
        arrived.for_each(|(on, message)| messages.insert_received(on, message));
        world.write_message(Up(news));
        self.app.update();
        let world = self.app.world_mut();
        for (on, message) in world.resource_mut::<ClientMessages>().drain_sent() {
            self.link.send(on, &message);
        }
        world.resource_mut::<Messages<Down<D>>>().drain().map(|news| news.0).collect()
    }
}
