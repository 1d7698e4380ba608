/** Tests the channels of a document after it was applied. */
import { setTimeout as pause } from 'node:timers/promises';
import type { LocalApi } from '../../session/session.ts';
import type { Cli } from '../cli.ts';
import { findChannel } from '../lookup/find-by-name.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import type { SiteChannel } from './document.ts';

const POLL_INTERVAL_MS = 2000;

type Result = Awaited<ReturnType<LocalApi['probe']['test']>>;

/** Tests each channel once; with `waitMs`, retests failed ones until all succeed or time is up. */
export async function testChannels(
  cli: Cli,
  entries: readonly SiteChannel[],
  waitMs: number,
): Promise<ExitCode> {
  const api = await cli.api();
  const deadlineMs = Date.now() + waitMs;
  const results = new Map<string, Result>();
  let open = entries;
  for (;;) {
    for (const entry of open) {
      const { id } = await findChannel(cli, String(entry.id ?? entry.name));
      results.set(labelOf(entry), await api.probe.test({ id }));
    }
    open = open.filter((entry) => !results.get(labelOf(entry))?.success);
    const leftMs = deadlineMs - Date.now();
    if (open.length === 0 || leftMs <= 0 || cli.io.signal.aborted) break;
    await pause(Math.min(POLL_INTERVAL_MS, leftMs), undefined, { signal: cli.io.signal }).catch(
      () => {},
    );
  }
  for (const [name, { success, message }] of results)
    cli.note(`${success ? '+' : 'x'} ${name}${success ? '' : `: ${message}`}`);
  if (open.length === 0) return EXIT.ok;
  return waitMs > 0 ? EXIT.waitRanOut : EXIT.checkFailed;
}

/** Channels identified by id may share a name. */
function labelOf({ id, name }: SiteChannel): string {
  return id === undefined ? name : `${name} (${id})`;
}
