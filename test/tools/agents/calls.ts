/** What the calls of an agent cost, and how much was spent when the gateway refused one. */
import { numberIn, objectsIn, parseJson, textIn } from '../../../src/json/read-json.ts';
import type { RecordedCall } from './recorder.ts';
import type { AgentSite } from './site.ts';

export interface Calls {
  readonly answered: number;
  readonly spentUsd: number;
  /** What was spent when a call was refused for want of balance, the first one first. */
  readonly refusedAtUsd: readonly number[];
  /** Why other calls failed. */
  readonly failed: readonly string[];
}

/** The status depends on what each agent takes as final. */
const REFUSED = /quota of the user is too low/;

export async function callsOf(
  site: AgentSite,
  username: string,
  recorded: readonly RecordedCall[],
): Promise<Calls> {
  const charges = await chargesOf(site, username);
  const refusedAtUsd: number[] = [];
  const failed: string[] = [];
  let [answered, spentUsd] = [0, 0];
  for (const { id, status, error } of recorded) {
    if (status === 200) {
      answered += 1;
      spentUsd += charges.get(id) ?? 0;
    } else if (REFUSED.test(error)) refusedAtUsd.push(spentUsd);
    else failed.push(`${status} ${error}`);
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
