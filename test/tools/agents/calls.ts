/** What the calls of an agent cost, and how much was spent when the gateway refused one. */
import { numberIn, objectsIn, parseJson, textIn } from '../../../src/json/read-json.ts';
import type { RecordedCall } from './recorder.ts';
import type { AgentSite } from './site.ts';

export interface Calls {
  readonly answered: number;
  readonly spentUsd: number;
  /** What was spent when a call was refused for want of balance, the first one first. */
  readonly refusedAtUsd: readonly number[];
  /** Statuses of calls that failed for another reason. */
  readonly failed: readonly number[];
}

/** Codex repeats a 402, so it gets a 403. */
const REFUSED: ReadonlySet<number> = new Set([402, 403]);

export async function callsOf(
  site: AgentSite,
  username: string,
  recorded: readonly RecordedCall[],
): Promise<Calls> {
  const charges = await chargesOf(site, username);
  const refusedAtUsd: number[] = [];
  const failed: number[] = [];
  let [answered, spentUsd] = [0, 0];
  for (const { id, status } of recorded) {
    if (status === 200) {
      answered += 1;
      spentUsd += charges.get(id) ?? 0;
    } else if (REFUSED.has(status)) refusedAtUsd.push(spentUsd);
    else failed.push(status);
  }
  return { answered, spentUsd, refusedAtUsd, failed };
}

/** In USD, by request. */
async function chargesOf(site: AgentSite, username: string): Promise<Map<string, number>> {
  const printed = await site.run(['log', 'list', '--user', username, '--all', '--json']);
  return new Map(
    objectsIn(parseJson(printed), 'items').map((entry) => [
      textIn(entry, 'request_id') ?? '',
      numberIn(entry, 'quota_usd') ?? 0,
    ]),
  );
}
