// Settings for building interpreters: options and op resolvers.
#ifndef ARENITE_CPP_OPTIONS_HPP
#define ARENITE_CPP_OPTIONS_HPP

#include <arenite/cpp/status.hpp>
#include <arenite_plugin.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace arenite {

// Options of a planner or a delegate as text: {{"threads", "2"}}.
using NamedOptions = std::vector<std::pair<std::string, std::string>>;

enum OnMissing : uint32_t {
  kErrorOnMissing = AR_ON_MISSING_ERROR,
  kSkipMissing = AR_ON_MISSING_SKIP,
};

// A list of settings. They are validated and applied when an interpreter is built, in the order in which they were
// added.
class InterpreterOptions {
 public:
  // A setting: a call of one of the functions of arenite/options.h.
  using Setting = std::function<ArError *(ArOptions *)>;

  void Set(Setting setting) { settings_.push_back(std::move(setting)); }

  // Reads arenite.toml from a path or from text. It replaces all earlier settings.
  void SetConfigFile(std::string path) {
    Set([path = std::move(path)](ArOptions *options) { return ar_options_set_config_file(options, path.c_str()); });
  }
  void SetConfigText(std::string text) {
    Set([text = std::move(text)](ArOptions *options) { return ar_options_set_config_text(options, text.c_str()); });
  }

  // Number of threads; -1: one per processor; 0 and 1: only the calling thread.
  void SetNumThreads(int count) {
    const uint32_t threads = count < 0 ? 0 : count == 0 ? 1 : static_cast<uint32_t>(count);
    Set([threads](ArOptions *options) { return ar_options_set_threads(options, threads); });
  }

  void SetPlanner(std::string name, NamedOptions named = {}) {
    Set([name = std::move(name), named = std::move(named)](ArOptions *options) {
      const std::vector<ArOption> list = List(named);
      return ar_options_set_planner(options, name.c_str(), list.data(), list.size());
    });
  }

  // Delegates claim nodes in the order in which they are added. "cpu" is added last automatically, unless the only
  // delegate is "none".
  void AddDelegate(std::string name, NamedOptions named = {}, OnMissing on_missing = kErrorOnMissing) {
    Set([name = std::move(name), named = std::move(named), on_missing](ArOptions *options) {
      const std::vector<ArOption> list = List(named);
      return ar_options_add_delegate(options, name.c_str(), on_missing, list.data(), list.size());
    });
  }

  // Makes it an error if a node runs elsewhere than on this delegate, which was added before: any node, or with `op`
  // only a node of this op.
  void RequireDelegate(std::string name, std::string op = "") {
    Set([name = std::move(name), op = std::move(op)](ArOptions *options) {
      return ar_options_require_delegate(options, name.c_str(), op.empty() ? nullptr : op.c_str());
    });
  }

  // Adds a folder with plugins. Plugins are trusted code.
  void AddPluginDir(std::string path) {
    Set([path = std::move(path)](ArOptions *options) { return ar_options_add_plugin_dir(options, path.c_str()); });
  }
  void AddPluginFile(std::string path) {
    Set([path = std::move(path)](ArOptions *options) { return ar_options_add_plugin_file(options, path.c_str()); });
  }

  // Limits: bytes of memory, bytes of device memory, nodes, nesting depth of subgraphs, subgraph calls per run, and the
  // time of one allocation or run.
  void SetQuotaBytes(uint64_t bytes) {
    Set([bytes](ArOptions *options) { return ar_options_set_quota_bytes(options, bytes); });
  }
  void SetQuotaDeviceBytes(uint64_t bytes) {
    Set([bytes](ArOptions *options) { return ar_options_set_quota_device_bytes(options, bytes); });
  }
  void SetQuotaNodes(uint64_t nodes) {
    Set([nodes](ArOptions *options) { return ar_options_set_quota_nodes(options, nodes); });
  }
  void SetQuotaDepth(uint32_t depth) {
    Set([depth](ArOptions *options) { return ar_options_set_quota_depth(options, depth); });
  }
  void SetQuotaCalls(uint64_t calls) {
    Set([calls](ArOptions *options) { return ar_options_set_quota_calls(options, calls); });
  }
  void SetTimeLimit(std::chrono::milliseconds limit) {
    const uint64_t milliseconds = limit.count() < 0 ? 0 : static_cast<uint64_t>(limit.count());
    Set([milliseconds](ArOptions *options) { return ar_options_set_time_limit(options, milliseconds); });
  }

  // Registers an op, a planner or a delegate of the program; see ar_options_register_op and the like. Interpreters
  // built with it keep the data alive.
  void AddOp(const ArOpV1 &op, std::shared_ptr<void> user_data = nullptr) {
    Set([op, user_data = std::move(user_data)](ArOptions *options) {
      return ar_options_register_op(options, &op, user_data.get(), nullptr);
    });
  }
  void AddPlanner(const ArPlannerV1 &planner, std::shared_ptr<void> user_data = nullptr) {
    Set([planner, user_data = std::move(user_data)](ArOptions *options) {
      return ar_options_register_planner(options, &planner, user_data.get(), nullptr);
    });
  }
  void AddDelegate(const ArDelegateV1 &delegate, std::shared_ptr<void> user_data = nullptr) {
    Set([delegate, user_data = std::move(user_data)](ArOptions *options) {
      return ar_options_register_delegate(options, &delegate, user_data.get(), nullptr);
    });
  }

 private:
  friend class Interpreter;
  friend class InterpreterBuilder;

  static std::vector<ArOption> List(const NamedOptions &named) {
    std::vector<ArOption> list;
    list.reserve(named.size());
    for (const auto &[key, value] : named) list.push_back({key.c_str(), value.c_str()});
    return list;
  }

  void Append(const InterpreterOptions &other) {
    settings_.insert(settings_.end(), other.settings_.begin(), other.settings_.end());
  }

  ArError *Apply(ArOptions *options) const {
    for (const Setting &setting : settings_) {
      if (ArError *error = setting(options)) return error;
    }
    return nullptr;
  }

  std::vector<Setting> settings_;
};

// Ops of the program, and whether fast kernels are used. Every resolver includes the ops of plugins.
class OpResolver {
 public:
  virtual ~OpResolver() = default;
  const InterpreterOptions &options() const { return options_; }

 protected:
  InterpreterOptions options_;
};

class MutableOpResolver : public OpResolver {
 public:
  // See InterpreterOptions::AddOp.
  void AddOp(const ArOpV1 &op, std::shared_ptr<void> user_data = nullptr) { options_.AddOp(op, std::move(user_data)); }
};

namespace ops {
namespace builtin {

// The CPU delegate runs the nodes that it has kernels for, reference ops run the others.
class BuiltinOpResolver : public MutableOpResolver {};

// Reference ops run all nodes, except those of delegates that are added.
class BuiltinOpResolverWithoutDefaultDelegates : public BuiltinOpResolver {
 public:
  BuiltinOpResolverWithoutDefaultDelegates() {
    options_.Set([](ArOptions *options) { return ar_options_set_default_delegate(options, false); });
  }
};

}  // namespace builtin
}  // namespace ops
}  // namespace arenite

#endif  // ARENITE_CPP_OPTIONS_HPP
