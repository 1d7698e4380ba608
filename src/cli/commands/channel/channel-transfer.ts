/** `gateway channel export` and `import`: channels as a document for version control. */

import type { LocalApi } from '../../../session/session.ts';
import { command } from '../../command.ts';

export const exportChannels = command({
  usage: 'export',
  flags: ['--keys', '--tag <tag>'],
  examples: ['export > channels.yaml', 'export --tag prod --json', 'export --keys > secret.yaml'],
  async run(cli, { keys = false, tag }) {
    const api = await cli.api();
    const document = await api.channelTransfer.exportAll({ keys, tag });
    if (!cli.isTableOutput()) return cli.print(document, { columns: ['version', 'channels'] });
    const { yamlText } = await import('../../../session/yaml.ts');
    cli.io.out(yamlText(document));
  },
});

type Document = Parameters<LocalApi['channelTransfer']['importAll']>[0];

/** The call itself supports a dry run: its reply is the plan. */
export const importChannels = command({
  usage: 'import <file>',
  examples: ['import channels.yaml --dry-run', 'import channels.yaml', 'import - < channels.json'],
  async run(cli, { file }) {
    const dry_run = cli.globals.dryRun === true;
    const [{ readDocument }, { namingLocations }] = await Promise.all([
      import('../../site-file/read.ts'),
      import('../../site-file/error-locations.ts'),
    ]);
    const { text, value } = await readDocument(cli, '<file>', file);
    const document = value as Document; // the call validates it
    const api = await cli.api();
    const done = await namingLocations(text, cli.t, () =>
      api.channelTransfer.importAll({ ...document, dry_run }),
    );
    await cli.print(done.items, { columns: ['action', 'id', 'name', 'changes'] });
    if (dry_run) cli.note(cli.t('cli.notes.dry_run'));
  },
});
