/** The group commits of all workers on one SQLite file, in their primary. */
import type { Config } from '../../config.ts';
import type { Logger } from '../../log.ts';
import { type BatchCommit, createBatchCommit } from '../../services/billing/commit-batch.ts';
import { type CommitHost, createCommitHost } from '../../services/billing/shared-commits.ts';
import { type Databases, openSiteDatabases } from '../../store/connection/database.ts';
import { isSeparateLog, logTableOf } from '../../store/logs/log-database.ts';

export interface WorkerCommits extends Pick<CommitHost, 'serve'> {
  close(): Promise<void>;
}

export function workerCommits(config: Config, log: Logger): WorkerCommits {
  let databases: Databases | undefined;
  const host = createCommitHost((listener) => {
    let opened: BatchCommit | undefined;
    // Opened by the first commit, because the first worker creates and migrates the file.
    const open = async () => {
      databases = await openSiteDatabases(config);
      log.info({ database: databases.location }, 'committing for the workers');
      const isSeparate = isSeparateLog(config.logDatabase.open(), databases);
      const logTable = logTableOf({ isSeparate });
      opened = createBatchCommit(databases, log, { logTable, listener });
      return opened;
    };
    return {
      commit: async (batch) => (opened ?? (await open())).commit(batch),
      slowReason: () => opened?.slowReason(),
    };
  }, config.workers);
  return {
    serve: host.serve,
    async close() {
      await host.flush();
      await databases?.close();
    },
  };
}
