//! The keys of one judge, by account: which may still be used, and why the others may not.
//!
//! Limits and bills are an account's, not a key's; a key that is not accepted is only itself. What is set aside
//! stays so until somebody says that it may be mended. Must not know requests or time: `pace` knows how fast an account may be worked.

use super::blot::{self, Ends};
use super::settings::{AccountKey, Secret};

/// A key shorter than this is no secret ("none", "EMPTY"), and blotting it out would hide honest text.
const SHORTEST_SECRET: usize = 8;

/// One key of one account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyPlace {
    pub account: usize,
    key: usize,
}

#[derive(Debug)]
struct Account {
    name: String,
    keys: Vec<Key>,
    /// Why nothing can be asked of it any more.
    exhausted: Option<String>,
}

#[derive(Debug)]
struct Key {
    /// `None` where the server wants no key.
    secret: Option<Secret>,
    /// Why the server does not accept it.
    denied: Option<String>,
}

/// All keys of one judge. One account without a key where none is set.
#[derive(Debug)]
pub struct Keys {
    accounts: Vec<Account>,
    /// What else is secret of what is sent.
    others: Vec<Secret>,
}

impl Keys {
    /// `headers` are the endpoint's secret ones.
    pub fn new(given: &[AccountKey], headers: &[(String, Secret)]) -> Self {
        let mut accounts: Vec<Account> = Vec::new();
        for AccountKey { account, secret } in given {
            let key = Key { secret: Some(secret.clone()), denied: None };
            match accounts.iter_mut().find(|known| known.name == *account) {
                Some(known) => known.keys.push(key),
                None => accounts.push(Account { name: account.clone(), keys: vec![key], exhausted: None }),
            }
        }
        if accounts.is_empty() {
            let keys = vec![Key { secret: None, denied: None }];
            accounts.push(Account { name: "no key".to_owned(), keys, exhausted: None });
        }
        Self { accounts, others: headers.iter().map(|(_, secret)| secret.clone()).collect() }
    }

    /// How many accounts there are; they are numbered from 0.
    pub fn accounts(&self) -> usize {
        self.accounts.len()
    }

    /// What people call an account.
    pub fn name(&self, account: usize) -> Option<&str> {
        self.accounts.get(account).map(|found| found.name.as_str())
    }

    /// The account of that name.
    pub fn named(&self, name: &str) -> Option<usize> {
        self.accounts.iter().position(|account| account.name == name)
    }

    /// Why no key of an account can be used.
    pub fn why(&self, account: usize) -> Option<String> {
        self.accounts.get(account).map(Account::trouble)
    }

    /// The first key of an account that may still be used.
    pub fn usable(&self, account: usize) -> Option<KeyPlace> {
        let found = self.accounts.get(account).filter(|found| found.exhausted.is_none())?;
        let key = found.keys.iter().position(|key| key.denied.is_none())?;
        Some(KeyPlace { account, key })
    }

    /// `None` where the server wants no key.
    pub fn secret(&self, place: KeyPlace) -> Option<&Secret> {
        self.accounts.get(place.account)?.keys.get(place.key)?.secret.as_ref()
    }

    /// Sets a key aside that the server does not accept.
    pub fn deny(&mut self, place: KeyPlace, why: &str) {
        if let Some(key) =
            self.accounts.get_mut(place.account).and_then(|found| found.keys.get_mut(place.key))
        {
            key.denied.get_or_insert_with(|| why.to_owned());
        }
    }

    /// Sets an account aside that is used up, with all its keys.
    pub fn exhaust(&mut self, account: usize, why: &str) {
        if let Some(found) = self.accounts.get_mut(account) {
            found.exhausted.get_or_insert_with(|| why.to_owned());
        }
    }

    /// Uses all keys again: what was wrong may be mended.
    pub fn revive(&mut self) {
        for account in &mut self.accounts {
            account.exhausted = None;
            for key in &mut account.keys {
                key.denied = None;
            }
        }
    }

    /// Why no key can be used, account by account; empty while one can.
    pub fn trouble(&self) -> Vec<String> {
        if (0..self.accounts.len()).any(|account| self.usable(account).is_some()) {
            return Vec::new();
        }
        self.accounts.iter().map(Account::trouble).collect()
    }

    /// The text without any of the keys, however they are spelled: servers repeat them in their errors.
    pub fn blotted(&self, text: String) -> String {
        blot::blotted(text, &self.secrets(), Ends::Whole)
    }

    /// The same for a text that may end within a key.
    pub fn blotted_to_the_end(&self, text: String) -> String {
        blot::blotted(text, &self.secrets(), Ends::BrokenOff)
    }

    fn secrets(&self) -> Vec<&str> {
        let keys = self.accounts.iter().flat_map(|account| &account.keys);
        let secrets = keys.filter_map(|key| key.secret.as_ref()).chain(&self.others).map(Secret::reveal);
        secrets.filter(|key| key.len() >= SHORTEST_SECRET).collect()
    }
}

impl Account {
    fn trouble(&self) -> String {
        let name = &self.name;
        if let Some(why) = &self.exhausted {
            return format!("account `{name}` is used up: {why}");
        }
        let why = self.keys.iter().find_map(|key| key.denied.as_deref()).unwrap_or_default();
        match self.keys.as_slice() {
            [Key { secret: None, .. }] => format!("the server wants a key and none is set: {why}"),
            [_] => format!("the key of account `{name}` is not accepted: {why}"),
            keys => format!("none of the {} keys of account `{name}` is accepted: {why}", keys.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(given: &[(&str, &str)]) -> Keys {
        let given: Vec<AccountKey> = given
            .iter()
            .map(|(account, secret)| AccountKey {
                account: (*account).to_owned(),
                secret: Secret::new(*secret),
            })
            .collect();
        Keys::new(&given, &[("cf-access-client-secret".to_owned(), Secret::new("hunter2hunter2"))])
    }

    #[test]
    fn a_denied_key_is_followed_by_the_next_of_its_account() {
        let mut keys = keys(&[("a", "sk-planted-1"), ("a", "sk-planted-2")]);
        let first = keys.usable(0).unwrap();
        keys.deny(first, "invalid key");
        let second = keys.usable(0).unwrap();
        assert_eq!(keys.secret(second).unwrap().reveal(), "sk-planted-2");
        keys.deny(second, "invalid key");
        assert_eq!(keys.usable(0), None);
        assert_eq!(keys.trouble(), ["none of the 2 keys of account `a` is accepted: invalid key"]);
    }

    #[test]
    fn j60_an_account_that_is_used_up_takes_all_its_keys_with_it() {
        let mut keys = keys(&[("a", "sk-planted-1"), ("b", "sk-planted-2"), ("a", "sk-planted-3")]);
        assert_eq!(keys.accounts(), 2);
        keys.exhaust(0, "quota of the day");
        assert_eq!(keys.usable(0), None);
        assert!(keys.trouble().is_empty(), "the other account can be used");
        keys.exhaust(1, "credit");
        let trouble = ["account `a` is used up: quota of the day", "account `b` is used up: credit"];
        assert_eq!(keys.trouble(), trouble);
        keys.revive();
        assert!(keys.usable(0).is_some() && keys.usable(1).is_some(), "they may be topped up by now");
    }

    #[test]
    fn without_keys_there_is_one_account_that_sends_none() {
        let mut keys = keys(&[]);
        let place = keys.usable(0).unwrap();
        assert_eq!(keys.secret(place), None);
        keys.deny(place, "missing bearer token");
        assert_eq!(keys.trouble(), ["the server wants a key and none is set: missing bearer token"]);
    }

    #[test]
    fn no_text_keeps_a_key() {
        let keys = keys(&[("a", "sk-planted/1"), ("a", "EMPTY")]);
        let told = r#"Incorrect key sk-planted/1 ("sk-planted\/1") hunter2hunter2; EMPTY"#.to_owned();
        assert_eq!(keys.blotted(told), r#"Incorrect key [key] ("[key]") [key]; EMPTY"#);
        assert!(!format!("{keys:?}").contains("planted"));
    }
}
