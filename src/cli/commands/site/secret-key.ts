/** `gateway secret-key`: changes the key that encrypts the site's secrets; local only. */
import { command, type Noun } from '../../command.ts';
import { watched } from '../../output/progress.ts';
import { EXIT } from '../../process/exit-codes.ts';
import { requireLocal } from '../../servers/select-server.ts';

const COLUMNS = { columns: ['column', 'values'], id: 'column' };

const rotate = command({
  usage: 'rotate',
  examples: ['rotate', 'rotate --dry-run --json'],
  ownsSignal: true,
  async run(cli) {
    await requireLocal(cli, 'secret-key');
    const { rotateSecretKey } = await import('../../local/change-secret-key.ts');
    const isDryRun = cli.globals.dryRun === true;
    const config = await cli.config();
    if (!isDryRun) await cli.confirm('secret-key', cli.t('cli.loses.secret_key'));
    const counts = await watched(cli, undefined, 'secret-key rotate', (watch) =>
      rotateSecretKey(config, { isDryRun, ...watch }),
    );
    if (counts === undefined) {
      cli.note(cli.t('cli.notes.rotation_stopped'));
      return EXIT.interrupted;
    }
    if (counts === 'no old key')
      throw cli.values.refuse('GATEWAY_SECRET_KEY', 'no_old_key', {
        name: 'GATEWAY_SECRET_KEY_OLD',
      });
    const rows = Object.entries(counts).map(([column, values]) => ({ column, values }));
    await cli.print(rows, COLUMNS);
    cli.note(cli.t(isDryRun ? 'cli.notes.dry_run' : 'cli.notes.rotated'));
    return EXIT.ok;
  },
});

export const secretKey: Noun = { name: 'secret-key', verbs: [rotate] };
