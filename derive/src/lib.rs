//! The derive macro of `orthant`: an enum → collision layers, one bit for each variant.
//!
//! Use it through `orthant::prelude`, beside the trait of the same name.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Ident, Result, Variant};

/// The number of bits in a layer mask.
const LAYERS_MAX: usize = 32;

/// Makes the variants of an enum collision layers.
///
/// The variant marked `#[default]` is the first layer, the one of colliders without
/// `CollisionLayers`; the others follow in the order in which they are written. Without the mark they
/// are simply counted. The enum has 1 to 32 variants without fields; the values of their
/// discriminants do not matter.
#[proc_macro_derive(PhysicsLayer)]
pub fn derive_physics_layer(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    syn::parse(input).and_then(expand).unwrap_or_else(|error| error.to_compile_error()).into()
}

fn expand(input: DeriveInput) -> Result<TokenStream> {
    let name = &input.ident;
    let Data::Enum(data) = &input.data else {
        return Err(Error::new(name.span(), "only an enum can be a `PhysicsLayer`"));
    };
    let variants = in_order(name.span(), data.variants.iter().collect())?;
    let bits = (0..variants.len()).map(|layer| 1_u32 << layer);
    let all = bits.clone().fold(0, |all, bit| all | bit);
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        impl #generics ::orthant::plugin::PhysicsLayer for #name #arguments #bounds {
            fn to_bits(&self) -> u32 {
                match self {
                    #(Self::#variants => #bits,)*
                }
            }

            fn all_bits() -> u32 {
                #all
            }
        }
    })
}

/// The names of the variants in the order of their layers.
fn in_order(span: Span, variants: Vec<&Variant>) -> Result<Vec<&Ident>> {
    let is_default =
        |variant: &&Variant| variant.attrs.iter().any(|a| a.path().is_ident("default"));
    for variant in &variants {
        if !matches!(variant.fields, Fields::Unit) {
            let message = "a layer is a variant without fields";
            return Err(Error::new_spanned(&variant.fields, message));
        }
    }
    if let Some(variant) = variants.get(LAYERS_MAX) {
        let message = format!("there are at most {LAYERS_MAX} layers, this is one too many");
        return Err(Error::new(variant.ident.span(), message));
    }
    if variants.is_empty() {
        return Err(Error::new(span, "a `PhysicsLayer` needs at least one variant"));
    }
    let mut marked = variants.iter().filter(|v| is_default(v));
    if let (Some(_), Some(second)) = (marked.next(), marked.next()) {
        return Err(Error::new(second.ident.span(), "only one layer is the default"));
    }
    let (first, rest): (Vec<_>, Vec<_>) = variants.into_iter().partition(is_default);
    Ok(first.into_iter().chain(rest).map(|variant| &variant.ident).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(source: &str) -> String {
        let input = syn::parse_str(source).expect("the test is Rust");
        expand(input).expect("sound layers").to_string()
    }

    /// The message of an error and the source it points at.
    fn error(source: &str) -> (String, String) {
        let input = syn::parse_str(source).expect("the test is Rust");
        let error = expand(input).expect_err("no layers");
        let span = error.span();
        let line = source.lines().nth(span.start().line - 1).expect("within the source");
        let place: String =
            line.chars().take(span.end().column).skip(span.start().column).collect();
        (error.to_string(), place)
    }

    #[test]
    fn variants_are_counted() {
        let code = expanded("enum Layer { A, B, C }");
        for arm in ["A => 1u32", "B => 2u32", "C => 4u32", "{ 7u32 }"] {
            assert!(code.contains(arm), "{arm} in {code}");
        }
    }

    #[test]
    fn the_default_comes_first() {
        let code = expanded("enum Layer { A, #[default] B, C = 9 }");
        for arm in ["A => 2u32", "B => 1u32", "C => 4u32", "{ 7u32 }"] {
            assert!(code.contains(arm), "{arm} in {code}");
        }
    }

    #[test]
    fn thirty_two_layers_fit() {
        let names: Vec<String> = (0..33).map(|i| format!("L{i}")).collect();
        let code = expanded(&format!("enum Layer {{ {} }}", names[..32].join(", ")));
        assert!(code.contains("L31 => 2147483648u32"), "the last bit: {code}");
        assert!(code.contains("4294967295u32"), "all bits: {code}");
        let (message, place) = error(&format!("enum Layer {{ {} }}", names.join(", ")));
        assert!(message.contains("at most 32"), "{message}");
        assert_eq!(place, "L32", "it points at the first that is too many");
    }

    #[test]
    fn what_makes_no_layers_is_refused_where_it_stands() {
        let cases = [
            ("struct Layer;", "only an enum", "Layer"),
            ("union Layer { a: u8 }", "only an enum", "Layer"),
            ("enum Layer {}", "at least one", "Layer"),
            ("enum Layer { A, B(u8) }", "without fields", "(u8)"),
            ("enum Layer { A, B { b: u8 } }", "without fields", "{ b: u8 }"),
            ("enum Layer { #[default] A, #[default] B }", "only one", "B"),
        ];
        for (source, expected, at) in cases {
            let (message, place) = error(source);
            assert!(message.contains(expected), "{source}: {message}");
            assert_eq!(place, at, "{source}");
        }
    }
}
