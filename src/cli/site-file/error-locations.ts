/** Names the line and the entry of a document in errors about it. */
import { AppError } from '../../domain/errors/errors.ts';
import { joinedProblems } from '../../domain/errors/input-problems.ts';
import { NAMES_INPUT, type Translate } from '../../locales/text.ts';
import { yamlLineOf, yamlValue } from '../../session/yaml.ts';

/** The field that names an entry, by section. */
const NAME_FIELDS: Readonly<Record<string, string>> = {
  groups: 'name',
  prices: 'model',
  channels: 'name',
  users: 'username',
  tokens: 'name',
  budgets: 'name',
  redemptions: 'name',
};

/** The path of the document as a whole (`fieldOf` in src/api/local.ts). */
const WHOLE = 'input';

/** Runs work on a document; its errors name the location in the text instead of a path. */
export async function namingLocations<T>(
  text: string,
  t: Translate,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AppError ? withLocation(error, text, t) : error;
  }
}

function withLocation(error: AppError, text: string, t: Translate): AppError {
  const [first = error, ...more] = error.problems.map((problem) => {
    const { code, params, param, cause } = problem;
    if (param === undefined) return problem;
    const location = locationOf(problem, param === WHOLE ? '' : param, text, t);
    if (location === undefined) return problem;
    return new AppError(code, { ...params, [placeParam(code)]: location }, { param, cause });
  });
  return joinedProblems(first, more);
}

/** The parameter that names the location in the text of the error. */
function placeParam(code: string): string {
  if (code === 'argument_invalid') return 'name';
  return NAMES_INPUT.has(code) ? 'location' : 'place';
}

/** Undefined for names that are no paths of the document, such as flags. */
function locationOf(
  { params }: AppError,
  path: string,
  text: string,
  t: Translate,
): string | undefined {
  const [section = '', index = '', ...fields] = path.split('.');
  const document: unknown = Object(yamlValue(text));
  const isUnknown = params.reason === 'unknown_fields';
  const name = isUnknown ? String(params.names).split(', ')[0] : undefined;
  const line = yamlLineOf(text, [path, name].filter(Boolean).join('.'));
  if (line === undefined || path.startsWith('-')) return undefined;
  const nameField = NAME_FIELDS[section];
  const isEntry = nameField !== undefined && /^\d+$/.test(index);
  const parts = isEntry
    ? [entryText(document, section, Number(index), nameField, t), fields.join('.')]
    : [path];
  return [t('cli.locations.line', { line }), ...parts.filter(Boolean)].join(
    t('cli.locations.separator'),
  );
}

function entryText(
  document: unknown,
  section: string,
  index: number,
  nameField: string,
  t: Translate,
): string {
  const entry: unknown = Reflect.get(Object(Reflect.get(Object(document), section)), index);
  const name: unknown = Reflect.get(Object(entry), nameField);
  const isNamed = typeof name === 'string' && name !== '';
  const shown = isNamed
    ? t('cli.locations.named', { name })
    : t('cli.locations.unnamed', { number: index + 1 });
  return t(`cli.locations.${section}`, { name: shown });
}
