/** Which models a write of channels leaves without an enabled channel. */
import type { Visit } from '../../api/call.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { firstNames } from '../../domain/text/first-names.ts';
import { enabledPairs, type ServedPair } from '../../store/tables/abilities-table.ts';
import type { TxContext } from '../cluster/announced-write.ts';

/**
 * Runs a write of channels and reports `models_in_use` if a group loses its last enabled channel of
 * a model. What the report throws must roll the transaction back.
 */
export async function reportingModels<T>(
  ctx: TxContext,
  visit: Visit,
  ids: readonly number[],
  write: () => Promise<T>,
): Promise<T> {
  if (visit.reportImpact === undefined) return write();
  const before = await enabledPairs(ctx.db, { channelIds: ids });
  const result = await write();
  if (before.length === 0) return result;
  const models = [...new Set(before.map(({ model }) => model))];
  const after = new Set((await enabledPairs(ctx.db, { models })).map(keyOf));
  const lost = before.filter((pair) => !after.has(keyOf(pair)));
  if (lost.length > 0) visit.reportImpact(modelsInUse(lost));
  return result;
}

function keyOf({ group, model }: ServedPair): string {
  return `${group}\n${model}`;
}

/** Names each model with its groups: `gpt-4o (default/vip)`. */
function modelsInUse(lost: readonly ServedPair[]): AppError {
  const groups = new Map<string, string[]>();
  for (const { group, model } of lost) groups.set(model, [...(groups.get(model) ?? []), group]);
  const names = [...groups].map(([model, names]) => `${model} (${names.join('/')})`).sort();
  return new AppError('models_in_use', { models: firstNames(names) });
}
