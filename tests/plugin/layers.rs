//! Layers by name.

use orthant::prelude::*;

#[derive(PhysicsLayer, Default)]
enum Layer {
    Player,
    #[default]
    Ground,
    Enemy,
}

#[test]
fn the_default_layer_is_the_first_bit() {
    assert_eq!(LayerMask::from(Layer::default()), LayerMask::DEFAULT, "marked");
    assert_eq!((Layer::Player.to_bits(), Layer::Enemy.to_bits()), (2, 4), "the others follow");
    assert_eq!(Layer::all_bits(), 7);
    let plain = CollisionLayers::default();
    assert_eq!(plain, CollisionLayers::new(Layer::Ground, LayerMask::ALL), "no component");
}

#[test]
fn masks_are_sets() {
    let mut mask = LayerMask::from([Layer::Player, Layer::Enemy]);
    assert!(mask.has_all(Layer::Enemy) && !mask.has_all([Layer::Enemy, Layer::Ground]), "{mask:?}");
    mask.remove(Layer::Enemy);
    mask.add(Layer::Ground);
    assert_eq!(mask, LayerMask(3));
    assert_eq!(!mask & LayerMask::ALL, LayerMask(!3));
    assert_eq!(mask ^ LayerMask(1) | LayerMask::NONE, LayerMask(2));
}

#[test]
fn both_sides_must_agree() {
    let player = CollisionLayers::new(Layer::Player, [Layer::Ground, Layer::Enemy]);
    let enemy = CollisionLayers::new(Layer::Enemy, Layer::Ground);
    assert!(!player.interacts_with(enemy), "the enemy does not want to");
    assert!(!enemy.interacts_with(player), "whoever asks");
    assert!(player.interacts_with(CollisionLayers::ALL), "all");
    assert!(!player.interacts_with(CollisionLayers::NONE), "none");
    assert_eq!(player, CollisionLayers::from_bits(2, 5));
}
