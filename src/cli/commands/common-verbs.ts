/** Verbs that work alike for every noun: look up by name, show the plan, confirm, run, print. */

import type { LocalApi } from '../../session/session.ts';
import type { Cli } from '../cli.ts';
import { type Command, command } from '../command.ts';
import type { View } from '../output/render-reply.ts';

interface Named {
  readonly id: number;
  readonly name: string;
}

interface Verb<Thing extends Named> {
  readonly noun: string;
  /** The usage placeholder for a name or an id, e.g. `channel`. */
  readonly argument: string;
  readonly examples: readonly string[];
  readonly find: (cli: Cli, text: string) => Promise<Thing>;
}

interface Removal<Thing extends Named> extends Verb<Thing> {
  /** Describes what is lost permanently. */
  readonly loses: (cli: Cli) => string;
  readonly remove: (api: LocalApi, id: number) => Promise<unknown>;
}

export function removal<Thing extends Named>(row: Removal<Thing>): Command {
  const { noun, argument, examples, find, loses, remove } = row;
  return command({
    usage: `delete <${argument}>`,
    examples,
    async run(cli, input) {
      const { id, name } = await find(cli, textOf(input, argument));
      const change = { action: 'delete', noun, name, loses: loses(cli) } as const;
      await cli.change(change, (api) => remove(api, id));
      if (!cli.globals.dryRun) await cli.done(noun, name, 'deleted');
    },
  });
}

interface Switch<Thing extends Named, Flag extends string> extends Verb<Thing> {
  readonly verb: string;
  readonly flags?: readonly Flag[];
  readonly change: (
    api: LocalApi,
    id: number,
    flags: Readonly<Record<string, string | undefined>>,
  ) => Promise<unknown>;
  readonly view: View;
}

/** `enable`, `disable` and similar: one call on one object. */
export function switching<Thing extends Named, Flag extends string = never>(
  row: Switch<Thing, Flag>,
): Command {
  const { noun, argument, verb, examples, find, change: send, view } = row;
  return command({
    usage: `${verb} <${argument}>`,
    flags: row.flags ?? [],
    examples,
    async run(cli, input) {
      const before = await find(cli, textOf(input, argument));
      const { id, name } = before;
      const change = { action: 'update', noun, name, before } as const;
      const flags = input as Readonly<Record<string, string | undefined>>; // as commander parsed it
      const after = await cli.change(change, (api) => send(api, id, flags));
      if (after !== undefined) await cli.print(after, view);
    },
  });
}

/** commander guarantees that a required `<argument>` is present. */
function textOf(input: object, argument: string): string {
  return String((input as Readonly<Record<string, unknown>>)[argument]);
}
