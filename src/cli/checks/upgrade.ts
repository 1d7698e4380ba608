/** Checks what an upgrade of this site to this version involves, without changing anything. */
import type { Config } from '../../config.ts';
import { isOptionKey, OptionValues, optionRowOf } from '../../domain/options/registry.ts';
import { firstNames } from '../../domain/text/first-names.ts';
import type { SchemaState } from '../../store/schema/migrate.ts';
import type { Cli } from '../cli.ts';
import { logUpgradeFacts, type UpgradeFacts } from '../local/local-database.ts';
import { type Check, type Finding, failed, naming, passed, warning } from './check.ts';
import { diskFinding, nodeVersion, variables } from './machine.ts';

interface Subject {
  readonly config: Config;
  readonly facts: UpgradeFacts;
}

export const UPGRADE_CHECKS: readonly Check<Subject>[] = [
  { name: 'schema', look: ({ facts }, { t }) => schemaFinding(facts, t) },
  {
    name: 'log_schema',
    look: async ({ config }, { t }) => {
      const log = await logUpgradeFacts(config);
      return log === undefined ? passed(t('cli.upgrade.log_inside')) : schemaFinding(log, t);
    },
  },
  {
    name: 'options',
    look: ({ facts: { options } }, { t }) => {
      const removed = [...options.keys()].filter((key) => !isOptionKey(key));
      return removed.length === 0
        ? passed(t('cli.upgrade.options', { count: options.size }))
        : warning(t('cli.upgrade.options_removed', { names: firstNames(removed) }));
    },
  },
  {
    name: 'option_values',
    look: ({ facts: { options } }, cli) => {
      // Secrets are still encrypted here; `gateway doctor` checks whether they can be decrypted.
      const plain = [...options].filter(
        ([key]) => isOptionKey(key) && optionRowOf(key).secret !== true,
      );
      const broken = new OptionValues(new Map(plain)).problems().map(({ key }) => key);
      return naming(broken, warning, cli, 'cli.doctor.options_ignored');
    },
  },
  nodeVersion,
  variables,
  {
    name: 'disk',
    // Space for a backup plus a rewritten table: twice the current size.
    look: async ({ config, facts }, cli) => {
      // `log_schema` reports an unreachable log database.
      const log = await logUpgradeFacts(config).catch(() => undefined);
      const files = [facts, log].filter((one) => one?.engine === 'sqlite');
      const bytes = files.reduce((sum, one) => sum + (one?.size_bytes ?? 0), 0);
      return diskFinding(config.dataDir, bytes * 2, cli);
    },
  },
];

function schemaFinding({ state, pending, unknown, started }: SchemaState, t: Cli['t']): Finding {
  if (state === 'current') return passed();
  if (state === 'newer') return failed(t('cli.upgrade.newer', { names: firstNames(unknown) }));
  if (state === 'half') return failed(t('cli.upgrade.half', { names: firstNames(started) }));
  if (state === 'empty') return passed(t('cli.upgrade.empty'));
  return warning(t('cli.upgrade.pending', { count: pending.length, names: firstNames(pending) }));
}
