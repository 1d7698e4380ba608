/**
 * `create` of all nouns whose objects have names. If the name is taken, the command fails, keeps
 * what has it (`--if-absent`) or edits it (`--upsert`).
 */
import { AppError } from '../../domain/errors/errors.ts';
import type { Cli } from '../cli.ts';
import { type Command, command, type FlagsOf } from '../command.ts';
import { single } from '../lookup/find-by-name.ts';
import { briefOf, type Edit, editObject, type WrittenNoun } from './common-verbs.ts';

const TAKEN_FLAGS = ['--if-absent', '--upsert'] as const;

interface Creation<Item extends object, Flag extends string, Fields extends object> {
  readonly flags: readonly Flag[];
  readonly examples: readonly string[];
  /** From the flags, or asked for; empty if one is made up. */
  readonly name: (cli: Cli, flags: FlagsOf<Flag>) => string | Promise<string>;
  /** Everything that has this name. */
  readonly named: (cli: Cli, name: string, flags: FlagsOf<Flag>) => Promise<readonly Item[]>;
  /** Creates and prints. */
  readonly create: (cli: Cli, flags: FlagsOf<Flag>, name: string) => Promise<void>;
  /** Prints what `--if-absent` keeps; if absent, the first object is printed. */
  readonly keep?: (cli: Cli, items: readonly Item[], flags: FlagsOf<Flag>) => Promise<void>;
  /** `--upsert` changes the fields that these find in the flags; other flags are for new objects. */
  readonly edit: Edit<Item, Flag, Fields>;
  /** Without `--if-absent` and `--upsert`, a further object of the same name is created. */
  readonly mayRepeat?: true;
}

export function createCommand<Item extends object, Flag extends string, Fields extends object>(
  named: WrittenNoun<Item>,
  row: Creation<Item, Flag, Fields>,
  verb = 'create',
): Command {
  const { noun } = named;
  const { keep = (cli, [item]) => cli.print(item, briefOf(named)) } = row;
  return command({
    usage: verb,
    flags: [...row.flags, ...TAKEN_FLAGS],
    examples: row.examples,
    async run(cli, input) {
      const flags = input as FlagsOf<Flag>; // as commander parsed it
      const whenTaken = whenTakenOf(cli, input);
      const name = (await row.name(cli, flags)).trim();
      if (name === '' && whenTaken !== undefined)
        throw cli.values.refuse(whenTaken, 'needs', { other: '--name' });
      const sought = () => row.named(cli, name, flags);
      const create = () => row.create(cli, flags, name);
      const isFree = name === '' || (whenTaken === undefined && row.mayRepeat === true);
      const before = isFree ? [] : await sought();
      const taken = before.length > 0 ? before : await createOrFind(create, sought);
      const [first] = taken;
      if (first === undefined) return;
      if (whenTaken === undefined) throw new AppError('name_taken', { noun, name });
      if (whenTaken === '--if-absent') {
        cli.note(cli.t('cli.notes.already_there', { noun, name }));
        return keep(cli, taken, flags);
      }
      single(cli, '--name', name, taken);
      await editObject(cli, named, row.edit, { before: first, flags, ifSame: 'print' });
    },
  });
}

type WhenTaken = (typeof TAKEN_FLAGS)[number] | undefined;

/** `--upsert` edits one object, and several are made with `--count`. */
function whenTakenOf({ values }: Cli, input: object): WhenTaken {
  const { ifAbsent, upsert, count } = input as FlagsOf<
    (typeof TAKEN_FLAGS)[number] | '--count <n>'
  >;
  if (!upsert) return ifAbsent ? '--if-absent' : undefined;
  if (ifAbsent) throw values.refuse('--upsert', 'not_both', { other: '--if-absent' });
  if (count !== undefined) throw values.refuse('--upsert', 'not_both', { other: '--count' });
  return '--upsert';
}

const TAKEN: ReadonlySet<string> = new Set(['name_taken', 'user_name_taken']);

/** Empty if created; else what another command has given this name in the meantime. */
async function createOrFind<Item>(
  create: () => Promise<void>,
  sought: () => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  try {
    await create();
    return [];
  } catch (error) {
    const found = error instanceof AppError && TAKEN.has(error.code) ? await sought() : [];
    if (found.length === 0) throw error;
    return found;
  }
}
