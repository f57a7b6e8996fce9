#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/object_description.h"
#include "core/nn/module.h"

/// What the inspector shows of objects that live in a program.
namespace nns::session {

/// The row of the tree that shows a member of the module described, UINT32_MAX if none does. Members are asked for in
/// the order of their registries.
using RowOfMember = std::function<std::uint32_t(const std::string& name, const object::Value& value)>;

/// The module as it is now: its `__dict__` in order, the entries of its registries below them, its hooks in firing
/// order (global ones not), its text. What its own code raises while it is printed is told in `repr`.
checkpoint::ObjectDescription describe_module(nn::Module& module, const RowOfMember& row_of_member);

/// Its hooks alone, table by table in the order of `__dict__`, each table in firing order.
std::vector<checkpoint::HookRow> hooks_of(nn::Module& module);

/// A tensor, None, or whatever else stands in a registry: class, text, and for a tensor what it knows beside its
/// values.
checkpoint::ObjectDescription describe_value(object::Interpreter& interpreter, const object::Value& value);

/// The value on one line: its repr, cut to about 160 bytes; of a tensor dtype, shape and what is unusual; of a large
/// container how much it holds; of a function its name. No addresses.
std::string one_line(object::Interpreter& interpreter, const object::Value& value);

/// A dict's key as a part of a name: a str as it is, anything else as one_line().
std::string key_text(object::Interpreter& interpreter, const object::Value& key);

}  // namespace nns::session
