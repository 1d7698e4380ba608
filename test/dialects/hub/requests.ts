/** Request cases for the dialect tests. */
import { DIALECTS, UPSTREAM_DIALECTS } from '../../../src/dialects/all.ts';
import type {
  DialectName,
  RequestTarget,
  UpstreamDialectName,
} from '../../../src/dialects/hub/dialect.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface Row {
  readonly name: string;
  readonly sent: Fields;
  /** Expected fields of the written body, complete; `undefined` for one that must be absent. */
  readonly written: Fields;
  readonly target?: Partial<RequestTarget>;
}

export function translated(
  from: DialectName,
  to: UpstreamDialectName,
  sent: Fields,
  target: Partial<RequestTarget> = {},
): Fields {
  const request = DIALECTS[from].readRequest(sent, { model: 'asked', stream: false });
  return UPSTREAM_DIALECTS[to].writeRequest(request, {
    model: 'm',
    stream: request.stream,
    ...target,
  });
}

/** The fields that a row checks. */
export function spoken(written: Fields, row: Row): Fields {
  return Object.fromEntries(Object.keys(row.written).map((name) => [name, written[name]]));
}

export const WEATHER_SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
};

/** The first bytes of a PNG image. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUg==';
export const PDF = 'JVBERi0xLjQK';

export function user(content: unknown): Fields {
  return { role: 'user', content };
}
