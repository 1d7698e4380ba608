/**
 * Registers the addresses of running servers in the data folder, so that commands find a running
 * `gateway serve` whatever its port. Files of processes that have ended are ignored.
 */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod/mini';
import type { Config } from '../../config.ts';
import { createFolder } from '../../folders.ts';
import { isNodeRunning, processTable } from '../../services/cluster/process-table.ts';
import { localUrl } from '../../session/snippets.ts';
import { parseDsn } from '../../store/connection/dsn.ts';

const RunningServer = z.object({
  url: z.string(),
  pid: z.int(),
  /** Scope of the pid: machines and containers may share a folder. */
  host: z.string(),
  database: z.string(),
});
type RunningServer = z.output<typeof RunningServer>;

const FILE = /^server-\d+\.json$/;

/** Call it when the server listens on `url`. Returns a function that removes the file. */
export function announceServer(config: Config, url: string): () => void {
  const { port } = new URL(url);
  const own: RunningServer = {
    url: localUrl(config.host, Number(port === '' ? 80 : port)),
    pid: process.pid,
    host: processTable(),
    database: locationOf(config),
  };
  const file = path.join(config.dataDir, `server-${process.pid}.json`);
  const text = `${JSON.stringify(own)}\n`;
  try {
    createFolder(config.dataDir);
    writeFileSync(file, text, { mode: 0o600 });
  } catch {
    // The folder is not writable: commands then use the configured address.
    return () => undefined;
  }
  return () => {
    try {
      // A server of another machine with the same pid may have overwritten the file.
      if (readFileSync(file, 'utf8') === text) rmSync(file);
    } catch {
      // Removed already.
    }
  };
}

/** Addresses of running servers of this folder and database, newest first. */
export function runningServers(config: Config): string[] {
  const [host, database] = [processTable(), locationOf(config)];
  return filesIn(config.dataDir).flatMap((file) => {
    const server = readServer(file);
    if (server === undefined || server.host !== host) return [];
    if (isNodeRunning(server.pid)) return server.database === database ? [server.url] : [];
    rmSync(file, { force: true });
    return [];
  });
}

function locationOf({ database, databaseSource }: Config): string {
  return parseDsn(database.open(), databaseSource).location;
}

function filesIn(folder: string): string[] {
  try {
    const files = readdirSync(folder)
      .filter((name) => FILE.test(name))
      .map((name) => path.join(folder, name));
    const writtenMs = new Map(files.map((file) => [file, statSync(file).mtimeMs]));
    return files.sort((a, b) => (writtenMs.get(b) ?? 0) - (writtenMs.get(a) ?? 0));
  } catch {
    return []; // no such folder, or a server that just ended
  }
}

function readServer(file: string): RunningServer | undefined {
  try {
    return RunningServer.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined; // partially written, or another version
  }
}
