/**
 * The definition of an option. Administrators change options at run time; the stored form is always
 * text. API, CLI, console, docs and `/api/status` all read these rows.
 */
import type { OptionProblem } from './problems.ts';
import type { ShapeName, ShapeValue } from './shapes.ts';

export type OptionGroup =
  | 'accounts'
  | 'mail'
  | 'sign-in'
  | 'presentation'
  | 'network'
  | 'payment'
  | 'quota'
  | 'pricing'
  | 'rate-limit'
  | 'relay'
  | 'models'
  | 'monitoring'
  | 'logging'
  | 'sensitive'
  | 'drawing'
  | 'modes';

interface Common {
  /** The canonical text used while no value is stored. */
  readonly fallback: string;
  /** Lowest role that may read and write it: 10 admin, 100 super admin. */
  readonly role: 10 | 100;
  /** Never sent to clients; saving it empty means "keep the stored value". */
  readonly secret?: true;
  /** Guests can see its value: in `/api/status`, on a public page, or inside the page itself. */
  readonly public?: true;
}

export interface BoolRow extends Common {
  readonly type: 'bool';
  /** Key of an option that must be non-empty before this one may be true. */
  readonly needs?: string;
  /** Key of another option that must not be emptied while this one is true. */
  readonly uses?: string;
}

/** `int` is a whole number below 2^53; `number` any finite one. Bounds are inclusive. */
export interface NumberRow extends Common {
  readonly type: 'int' | 'number';
  readonly min: number;
  readonly max?: number;
  /** The switch that must be on for the bounds to apply. */
  readonly boundWhile?: string;
  /** The empty text is allowed and reads as `null`. */
  readonly blank?: true;
}

export interface TextRow extends Common {
  readonly type: 'text';
  /** `line`: trimmed, no line breaks. `address`: a line that also loses its trailing slash. */
  readonly form?: 'line' | 'address';
  /** Values to choose from beside any other text. */
  readonly suggestions?: readonly string[];
  readonly check?: (text: string) => OptionProblem | undefined;
}

/** `lines` are stored one per line, a `list` comma-separated. Blank items are ignored. */
export interface ItemsRow extends Common {
  readonly type: 'lines' | 'list';
  readonly check?: (items: readonly string[]) => OptionProblem | undefined;
}

export interface JsonRow extends Common {
  readonly type: 'json';
  readonly shape: ShapeName;
}

export interface ChoiceRow extends Common {
  readonly type: 'choice';
  readonly choices: readonly string[];
  /** Former names of choices, which are read as the new ones. */
  readonly renamed?: Readonly<Record<string, string>>;
}

type UngroupedRow = BoolRow | NumberRow | TextRow | ItemsRow | JsonRow | ChoiceRow;
/** The rows of one group; the registry adds the group. */
export type OptionRows = Readonly<Record<string, UngroupedRow>>;
export type OptionRow = UngroupedRow & { readonly group: OptionGroup };

/** The value type of a row. */
export type ValueOf<R> = R extends { type: 'bool' }
  ? boolean
  : R extends { type: 'int' | 'number'; blank: true }
    ? number | null
    : R extends { type: 'int' | 'number' }
      ? number
      : R extends { type: 'lines' | 'list' }
        ? readonly string[]
        : R extends { type: 'json'; shape: infer S extends ShapeName }
          ? ShapeValue<S>
          : R extends { type: 'choice'; choices: readonly (infer C)[] }
            ? C
            : string;
