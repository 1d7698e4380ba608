/** Deletes many objects at once, and everything of a kind after naming it. */
import { listText } from '../../locales/text.ts';
import type { LocalApi } from '../../session/session.ts';
import type { Cli } from '../cli.ts';
import { type Change, planText } from '../output/dry-run-plan.ts';
import type { View } from '../output/render-reply.ts';

const VIEW: View = { columns: ['deleted'], id: 'deleted' };

/** Prints the number that `remove` returns. */
export async function deleteMany(
  cli: Cli,
  change: Omit<Change, 'action'>,
  remove: (api: LocalApi) => Promise<number>,
  facts: object = {},
): Promise<void> {
  const work = async (api: LocalApi) => ({ ...facts, deleted: await remove(api) });
  await cli.changeAndPrint({ ...change, action: 'delete' }, work, VIEW);
}

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
  if (names.length === 0) return cli.print({ deleted: 0 }, VIEW);
  await deleteMany(cli, { noun, name: listText(names, cli.t), loses }, remove);
}
