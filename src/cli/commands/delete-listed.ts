/** Deletes everything of a kind, after naming it. */
import { listText } from '../../locales/text.ts';
import type { LocalApi } from '../../session/session.ts';
import type { Cli } from '../cli.ts';
import { planText } from '../output/dry-run-plan.ts';
import { DELETED_VIEW } from './common-verbs.ts';

interface Listed {
  readonly noun: string;
  readonly names: readonly string[];
  /** The question before the deletion. */
  readonly loses: string;
  readonly remove: (api: LocalApi) => Promise<number>;
}

export async function deleteListed(
  cli: Cli,
  { noun, names, loses, remove }: Listed,
): Promise<void> {
  if (cli.globals.dryRun) {
    const items = names.map((name) => ({ action: 'delete', noun, name, changes: [] }) as const);
    const document = { changed: items.length > 0, items, total: items.length };
    cli.printDocument(document, () => items.map(planText).join(''));
    return cli.note(cli.t('cli.notes.dry_run'));
  }
  if (names.length === 0) return cli.print({ deleted: 0 }, DELETED_VIEW);
  const change = { action: 'delete', noun, name: listText(names, cli.t), loses } as const;
  await cli.changeAndPrint(change, async (api) => ({ deleted: await remove(api) }), DELETED_VIEW);
}
