/** Output and context limits of models, from the catalogue or as their upstream publishes them. */
import { memoizePerName } from '../memoize-per-name.ts';
import { catalogEntry } from './catalog/catalog.ts';

export interface ModelLimits {
  /** Tokens of one answer, including reasoning. */
  readonly output: number;
  /** Maximum prompt tokens; undefined for an unknown model. */
  readonly context: number | undefined;
}

/** Output limit of a model that is not in the catalogue. */
const USUAL_OUTPUT = 32_768;
/** Context assumed for an unknown model that reads content stored upstream. */
export const USUAL_CONTEXT = 131_072;

const UNKNOWN: ModelLimits = { output: USUAL_OUTPUT, context: undefined };

interface PublishedLimits {
  readonly context?: number | undefined;
  readonly output_limit?: number | undefined;
}

/**
 * The limits of the first known name. `own`: the operator's output limits by model name; its
 * `default` applies to models without other limits. `published`: limits of models that the
 * catalogue does not have.
 */
export function limitsOfModel(
  names: readonly string[],
  own: Readonly<Record<string, number>>,
  published: Readonly<Record<string, PublishedLimits>>,
): ModelLimits {
  const known =
    names.map(listedLimits).find((limits) => limits !== UNKNOWN) ??
    names.map((name) => limitsIn(published[name])).find((limits) => limits !== UNKNOWN);
  const set = names.find((name) => own[name] !== undefined);
  const output = own[set ?? (known === undefined ? 'default' : '')];
  return output === undefined ? (known ?? UNKNOWN) : { ...(known ?? UNKNOWN), output };
}

const listedLimits = memoizePerName((model) => limitsIn(catalogEntry(model)));

function limitsIn({ output_limit, context }: PublishedLimits = {}): ModelLimits {
  return output_limit === undefined && context === undefined
    ? UNKNOWN
    : { output: output_limit ?? USUAL_OUTPUT, context };
}
