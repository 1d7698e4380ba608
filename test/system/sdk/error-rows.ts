/** The errors of the model API from the catalogue, as shown in docs/errors.md and tested with SDKs. */
import { DIALECTS } from '../../../src/dialects/all.ts';
import {
  ERROR_KINDS,
  ERRORS,
  type ErrorRow,
  type KindRow,
} from '../../../src/domain/errors/errors.ts';
import { modelErrorCodes } from '../../support/model-errors.ts';
import { isRepeatable } from './programs.ts';

export interface ShownRow {
  readonly status: number;
  /** Error code in the response. */
  readonly code: string;
  readonly type: string;
  /** Status and error type. */
  readonly anthropic: string;
  readonly gemini: string;
  readonly saysStop: boolean;
}

function shown(name: string, row: ErrorRow): ShownRow {
  const kind: KindRow = ERROR_KINDS[row.kind];
  const status = row.http ?? kind.http;
  const code = row.wire ?? name;
  const wire = { type: kind.openai, code, message: '', param: null };
  const ofAnthropic = DIALECTS.anthropic.writeError({ ...wire, status });
  const ofGemini = DIALECTS.gemini.writeError({ ...wire, status });
  return {
    status,
    code,
    type: kind.openai,
    anthropic: `${status} ${(ofAnthropic.error as { type: string }).type}`,
    gemini: (ofGemini.error as { status: string }).status,
    saysStop: (row.isPermanent ?? kind.isPermanent) === true || status === 401,
  };
}

export const SHOWN_ROWS: readonly ShownRow[] = modelErrorCodes().map((code) =>
  shown(code, ERRORS[code]),
);

/** Whether clients retry the error, in the wording of the table. */
export function repeatOf({ status, saysStop }: ShownRow): string {
  if (!isRepeatable(status)) return 'no';
  return saysStop ? 'no, by header' : 'yes';
}
