/** `gateway docs`: prints the documentation that the package contains. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { command, type Noun } from '../../command.ts';
import type { View } from '../../output/render-reply.ts';

const VIEW: View = { columns: ['page', 'title'], id: 'page' };
const ENDING = '.md';

const run = command({
  usage: 'docs [page]',
  flags: ['--q <text>'],
  examples: ['docs', 'docs channels', 'docs --q webhook', 'docs operations | less'],
  async run(cli, { page, q }) {
    const folder = docsFolder();
    const pages = readdirSync(folder)
      .filter((file) => file.endsWith(ENDING))
      .map((file) => file.slice(0, -ENDING.length))
      .sort();
    const textOf = (name: string) => readFileSync(path.join(folder, name + ENDING), 'utf8');
    if (page !== undefined) {
      const name = cli.values.choice('<page>', page.replace(/\.md$/, ''), pages);
      return cli.io.out(textOf(name));
    }
    const sought = q?.toLowerCase();
    const rows = pages
      .map((name) => ({ name, text: textOf(name) }))
      .filter(({ text }) => sought === undefined || text.toLowerCase().includes(sought))
      .map(({ name, text }) => ({ page: name, title: /^# (.*)$/m.exec(text)?.[1] ?? '' }));
    await cli.print(rows, VIEW);
  },
});

/** Beside the folder of the program, whether it runs from its sources or as a bundle. */
function docsFolder(): string {
  const here = path.dirname(fileURLToPath(import.meta.url));
  for (let at = here; ; at = path.dirname(at)) {
    const folder = path.join(at, 'docs');
    if (existsSync(path.join(at, 'package.json')) && existsSync(folder)) return folder;
    if (at === path.dirname(at)) throw new Error('the package has no documentation');
  }
}

export const docs: Noun = { name: 'docs', verbs: [run] };
