/** `gateway upgrade-check`: checks whether this version can take over the site. */
import { CHECK_VIEW, runChecks } from '../../checks/check.ts';
import { command, type Noun } from '../../command.ts';
import { EXIT } from '../../process/exit-codes.ts';
import { requireLocal } from '../../servers/select-server.ts';

const run = command({
  usage: 'upgrade-check',
  examples: ['upgrade-check', 'upgrade-check --json'],
  async run(cli) {
    await requireLocal(cli, 'upgrade-check');
    const config = await cli.config();
    const { upgradeFacts } = await import('../../local/local-database.ts');
    const { UPGRADE_CHECKS } = await import('../../checks/upgrade.ts');
    const facts = await upgradeFacts(config);
    const findings = await runChecks(UPGRADE_CHECKS, { config, facts }, cli);
    await cli.print(findings, CHECK_VIEW);
    return findings.every(({ result }) => result === 'ok') ? EXIT.ok : EXIT.checkFailed;
  },
});

export const upgradeCheck: Noun = { name: 'upgrade-check', verbs: [run] };
