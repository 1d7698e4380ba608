/** Plans the steps that make a site match a document, in order of their dependencies. */

import { checkAll, throwJoined } from '../../domain/errors/input-problems.ts';
import type { LocalApi } from '../../session/session.ts';
import type { Cli } from '../cli.ts';
import { tokenSteps, userSteps } from './accounts.ts';
import { budgetSteps, entryKey } from './budgets.ts';
import { channelSteps } from './channels.ts';
import { SECTION_OF_OPTION, SECTIONS, type Section, type SiteFile } from './document.ts';
import { NO_PRUNING, type Pruning, planPruning } from './prune.ts';
import { redemptionSteps } from './redemptions.ts';
import { unknownReferences } from './references.ts';
import { groupSteps, optionSteps, priceSteps } from './settings.ts';
import type { Step } from './step.ts';

export interface PlanOptions {
  /** Restricts the plan to these kinds. */
  readonly only: readonly Section[];
  /** Deletes channels with this tag that are not in the document. */
  readonly prunedTag: string | undefined;
  /** Also writes secret options that are already set. */
  readonly rewritesSecrets: boolean;
}

export interface SitePlan {
  readonly steps: readonly Step[];
  readonly massDelete: Pruning['massDelete'];
}

/** @throws AppError naming the location in the document; nothing has been written then. */
export async function planOf(
  cli: Cli,
  api: LocalApi,
  file: SiteFile,
  { only, prunedTag, rewritesSecrets }: PlanOptions,
): Promise<SitePlan> {
  const groups = file.groups ?? [];
  const newGroups = only.includes('groups') ? groups.map(({ name }) => name) : [];
  const planners: Readonly<Record<Section, () => Promise<Step[]>>> = {
    options: () => optionSteps(cli, api, file, rewritesSecrets),
    groups: () => groupSteps(api, groups),
    prices: () => priceSteps(api, file.prices ?? []),
    users: () => userSteps(cli, api, file.users ?? []),
    channels: () => channelSteps(cli, api, file.channels ?? [], newGroups),
    tokens: () => tokenSteps(cli, api, file.tokens ?? []),
    budgets: () => budgetSteps(cli, api, file),
    redemptions: () => redemptionSteps(cli, api, file.redemptions ?? []),
  };
  const steps: Step[] = [];
  await checkAll(
    () => refuseTwice(cli, file),
    ...SECTIONS.filter((kind) => only.includes(kind)).map(
      (kind) => async () => void steps.push(...(await planners[kind]())),
    ),
    async () => throwJoined(await unknownReferences(api, file, only)),
  );
  // Kinds that are not in the document or not selected stay unchanged.
  const isPruned = prunedTag !== undefined && only.includes('channels');
  const pruning =
    isPruned && file.channels !== undefined
      ? await planPruning(api, file.channels, prunedTag)
      : NO_PRUNING;
  return { steps: [...steps, ...pruning.steps], massDelete: pruning.massDelete };
}

/** Rejects duplicates, whose result would be ambiguous. */
function refuseTwice(cli: Cli, file: SiteFile): void {
  const problems = Object.entries(SECTION_OF_OPTION)
    .filter(([option, kind]) => file.options?.[option] !== undefined && file[kind] !== undefined)
    .map(([option, kind]) => cli.values.refuse(`options.${option}`, 'not_both', { other: kind }));
  const names: Readonly<Record<string, readonly string[]>> = {
    groups: (file.groups ?? []).map(({ name }) => name),
    prices: (file.prices ?? []).map(({ model }) => model),
    users: (file.users ?? []).map(({ username }) => username),
    // Channels with an id are identified by it.
    channels: (file.channels ?? []).map(({ id, name }) => (id === undefined ? name : `id ${id}`)),
    tokens: (file.tokens ?? []).map(({ user, name }) => `${user}/${name}`),
    budgets: (file.budgets ?? []).map(entryKey),
    redemptions: (file.redemptions ?? [])
      .filter(({ key, keyFrom }) => key === undefined && keyFrom === undefined)
      .map(({ name }) => name),
  };
  for (const [kind, listed] of Object.entries(names)) {
    for (const [index, name] of listed.entries())
      if (listed.indexOf(name) !== index)
        problems.push(cli.values.refuse(`${kind}.${index}`, 'twice', { name }));
  }
  throwJoined(problems);
}
