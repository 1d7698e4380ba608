/** Plans a document's channels. The server compares them, as only it can decrypt the keys. */

import { AppError } from '../../domain/errors/errors.ts';
import { gathered, joinedProblems } from '../../domain/errors/input-problems.ts';
import type { LocalApi } from '../../session/session.ts';
import type { Cli } from '../cli.ts';
import type { PlanLine } from '../output/dry-run-plan.ts';
import { warningsIn } from '../output/warnings.ts';
import type { SiteChannel } from './document.ts';
import { secretKeyOf } from './secrets.ts';
import { HIDDEN_VALUE, type Step } from './step.ts';

type Sent = Parameters<LocalApi['channelTransfer']['importAll']>[0]['channels'][number];

/** Maximum number of channels per request. */
const AT_ONCE = 500;

/**
 * @param newGroups created by the same document.
 * @throws AppError naming the location in the document.
 */
export async function channelSteps(
  cli: Cli,
  api: LocalApi,
  entries: readonly SiteChannel[],
  newGroups: readonly string[],
): Promise<Step[]> {
  const { channels: known } = await api.channelTransfer.exportAll({});
  const before = new Map<string | number, object>(
    known.map((channel) => [channel.id ?? channel.name, channel]),
  );
  const sent = await gathered(
    entries.map(async (entry, index) => withKey(cli, entry, `channels.${index}`)),
  );
  const steps: Step[] = [];
  for (let from = 0; from < sent.length; from += AT_ONCE) {
    const channels = sent.slice(from, from + AT_ONCE);
    const request = { channels, dry_run: true, new_groups: [...newGroups] };
    const { items } = await api.channelTransfer.importAll(request).catch((error: unknown) => {
      throw shifted(error, from);
    });
    for (const [index, item] of items.entries()) {
      const { name, action, changes } = item;
      const channel = channels[index];
      if (channel === undefined) continue;
      const line = {
        action,
        noun: 'channel',
        name,
        changes: shown(changes, before.get(channel.id ?? name) ?? before.get(name), channel),
      };
      steps.push({
        lines: [line],
        warnings: warningsIn({ items: [item] }),
        run: (api) => api.channelTransfer.importAll({ channels: [channel] }),
      });
    }
  }
  return steps;
}

/** The error with its position in the document, of which the channels from `from` on were sent. */
function shifted(error: unknown, from: number): unknown {
  if (!(error instanceof AppError) || from === 0) return error;
  const [first = error, ...more] = error.problems.map(({ code, params, param = '', cause }) => {
    const location = param.replace(/\d+/, (index) => String(Number(index) + from));
    return new AppError(
      code,
      { ...params, ...('field' in params && { field: location }) },
      { param: location, cause },
    );
  });
  return joinedProblems(first, more);
}

function withKey(cli: Cli, entry: SiteChannel, location: string): Sent {
  const { keyFrom: _, key: __, ...others } = entry;
  const key = secretKeyOf(cli, entry, location);
  return key === undefined ? others : { ...others, key };
}

function shown(fields: readonly string[], before: object = {}, after: object): PlanLine['changes'] {
  return fields.map((field) => {
    if (field === 'key') return { field, from: undefined, to: HIDDEN_VALUE };
    const wanted: unknown = Reflect.get(after, field) ?? Reflect.get(after, `${field}s`);
    return { field, from: Reflect.get(before, field), to: wanted };
  });
}
