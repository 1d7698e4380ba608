/** Plans the redemption codes of a document. */
import { gathered } from '../../domain/errors/input-problems.ts';
import { pickColumns } from '../../domain/nouns/columns.ts';
import { REDEMPTION } from '../../domain/nouns/redemption.ts';
import { REDEMPTION_STATUS } from '../../domain/statuses.ts';
import type { LocalApi } from '../../session/session.ts';
import type { Cli } from '../cli.ts';
import type { Redemption } from '../lookup/find-by-name.ts';
import { allItems } from '../lookup/paged-lists.ts';
import type { RedemptionEntry } from './document.ts';
import { secretKeyOf } from './secrets.ts';
import { differences, type Step } from './step.ts';

export async function redemptionSteps(
  cli: Cli,
  api: LocalApi,
  entries: readonly RedemptionEntry[],
): Promise<Step[]> {
  const steps = await gathered(
    entries.map((entry, index) => stepsOf(cli, api, entry, `redemptions.${index}`)),
  );
  return steps.flat();
}

async function stepsOf(
  cli: Cli,
  api: LocalApi,
  given: RedemptionEntry,
  location: string,
): Promise<Step[]> {
  const { keyFrom: _, key: __, count, ...entry } = given;
  const key = (secretKeyOf(cli, given, location) ?? '').trim();
  const known = await codesOf(api, key === '' ? { name: entry.name } : { key });
  const missing = (key === '' ? count : 1) - known.length;
  const changed = known
    .filter(({ status }) => status === REDEMPTION_STATUS.unused)
    .map((code) => editStep(code, entry))
    .filter((step) => step !== undefined);
  const name = entry.name;
  if (missing <= 0 && changed.length === 0)
    return [
      { lines: [{ action: 'same', noun: 'redemption', name, changes: [] }], run: async () => {} },
    ];
  if (missing <= 0) return changed;
  const changes = [
    ...differences({}, { quota: entry.quota }),
    { field: 'count', from: known.length, to: known.length + missing },
  ];
  const create: Step = {
    lines: [{ action: 'create', noun: 'redemption', name, changes }],
    run: (api) => api.redemption.create({ ...entry, key, count: missing }),
  };
  return [...changed, create];
}

async function codesOf(
  api: LocalApi,
  wanted: { readonly name: string } | { readonly key: string },
): Promise<readonly Redemption[]> {
  const [field, text] =
    'key' in wanted ? (['key', wanted.key] as const) : (['name', wanted.name] as const);
  const items = await allItems(api.redemption.list, { keyword: text });
  return items.filter((code) => code[field] === text);
}

/** Changes the editable fields of existing codes; how a code can be used is fixed at creation. */
function editStep(
  code: Redemption,
  entry: Omit<RedemptionEntry, 'key' | 'keyFrom' | 'count'>,
): Step | undefined {
  const wanted = pickColumns(REDEMPTION, entry);
  const changes = differences({ ...code }, wanted);
  if (changes.length === 0) return undefined;
  return {
    lines: [{ action: 'update', noun: 'redemption', name: `${entry.name} #${code.id}`, changes }],
    run: (api) => api.redemption.edit({ id: code.id, ...wanted }),
  };
}
