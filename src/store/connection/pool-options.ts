/** knex logs missing defaults and lost connections to the console; relevant errors also throw. */
const SILENT_LOG = { warn() {}, error() {}, debug() {}, deprecate() {} };

/** Options of the pools of every engine. */
export const SHARED_OPTIONS = {
  log: SILENT_LOG,
  acquireConnectionTimeout: 15_000,
  // A failed statement is logged with its error, which must not contain its values.
  compileSqlOnError: false,
};
