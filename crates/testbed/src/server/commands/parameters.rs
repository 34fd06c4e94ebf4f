//! Parameters that can be read, and those that can be changed while the server runs.

use std::str::FromStr;

use bson::{RawBson, RawBsonRef, RawDocument, RawDocumentBuf, raw::CString, raw::cstr, rawdoc};
use scenario::{PolicyChoice, Scenario};

use super::{context::Context, error::CommandError, finish, handshake};
use crate::server::Services;

/// A parameter: its name, its value, and how it is changed where it can be.
struct Parameter {
    name: &'static str,
    get: fn(&Services) -> RawBson,
    set: Option<Change>,
}

/// Makes the value of the text, or says what was expected.
type Change = fn(&Services, &str) -> Result<(), String>;

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "policy",
        get: |services| services.executor.domain().policy().to_string().into(),
        set: Some(|services, value| {
            services.set_policy(PolicyChoice::from_str(value)?);
            Ok(())
        }),
    },
    Parameter {
        name: "placement",
        get: |services| services.executor.plan().placement.name().into(),
        set: Some(|services, value| {
            services.executor.set_placement(value.parse()?);
            Ok(())
        }),
    },
    Parameter {
        name: "guard",
        get: |services| services.executor.plan().guard.name().into(),
        set: Some(|services, value| {
            services.executor.set_guard(value.parse()?);
            Ok(())
        }),
    },
    Parameter {
        name: "admission",
        get: |services| services.admission.algorithm().to_string().into(),
        set: Some(|services, value| {
            let mut scenario = Scenario::default();
            scenario
                .set_key("admission", value)
                .map_err(|error| error.to_string())?;
            services
                .admission
                .set_algorithm(scenario.admission)
                .map_err(|error| error.to_string())
        }),
    },
    Parameter {
        name: "featureCompatibilityVersion",
        get: |_| RawBson::Document(rawdoc! { "version": handshake::compatibility() }),
        set: None,
    },
    Parameter {
        name: "authenticationMechanisms",
        get: |_| RawBson::Array(bson::RawArrayBuf::new()),
        set: None,
    },
    Parameter {
        name: "quiet",
        get: |_| RawBson::Boolean(false),
        set: None,
    },
];

/// Answers `{getParameter: 1, name: 1, ...}` and `{getParameter: "*"}`.
pub(super) fn get(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let all = match context.body().get(context.name)? {
        Some(RawBsonRef::String("*")) => true,
        Some(RawBsonRef::Document(options)) => super::context::flag(options, "allParameters", false)?,
        _ => false,
    };
    let mut reply = RawDocumentBuf::new();
    for parameter in PARAMETERS {
        if all || context.body().get(parameter.name)?.is_some() {
            reply.append(
                CString::try_from(parameter.name)?,
                (parameter.get)(context.services),
            );
        }
    }
    if reply.is_empty() {
        return Err(CommandError::invalid_options(format!(
            "no option found to get: expected '*' or some of {}",
            names(|_| true)
        )));
    }
    Ok(finish(reply))
}

/// Answers `{setParameter: 1, name: value}`: one at a time, as the first field that is one.
pub(super) fn set(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let (parameter, value) = wanted(context.body())?.ok_or_else(|| {
        CommandError::invalid_options(format!(
            "no option found to set: expected one of {}",
            names(|parameter| parameter.set.is_some())
        ))
    })?;
    let change = parameter.set.ok_or_else(|| {
        CommandError::illegal(format!(
            "'{}' cannot be changed at run time: expected one of {}",
            parameter.name,
            names(|parameter| parameter.set.is_some())
        ))
    })?;
    let text = value
        .as_str()
        .ok_or_else(|| CommandError::mismatch(parameter.name, "a text"))?;
    let was = (parameter.get)(context.services);
    change(context.services, text).map_err(CommandError::bad_value)?;
    let mut reply = RawDocumentBuf::new();
    reply.append(cstr!("was"), was);
    Ok(finish(reply))
}

fn wanted(body: &RawDocument) -> Result<Option<(&'static Parameter, RawBsonRef<'_>)>, CommandError> {
    for parameter in PARAMETERS {
        if let Some(value) = body.get(parameter.name)? {
            return Ok(Some((parameter, value)));
        }
    }
    Ok(None)
}

fn names(of: impl Fn(&Parameter) -> bool) -> String {
    let names: Vec<_> = PARAMETERS
        .iter()
        .filter(|parameter| of(parameter))
        .map(|parameter| parameter.name)
        .collect();
    names.join(", ")
}
