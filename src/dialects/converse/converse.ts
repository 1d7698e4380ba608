/** The Converse dialect of Bedrock for all its models (docs.aws.amazon.com/bedrock, "Converse"). */
import { errorInSuccess } from '../../upstream-errors/read-upstream-error.ts';
import type { UpstreamDialect } from '../hub/dialect.ts';
import { readConverseAnswer } from './answer.ts';
import { ConverseDecoder } from './decoder.ts';
import { writeConverseRequest } from './hub-to-request.ts';

export const CONVERSE: UpstreamDialect = {
  name: 'converse',
  writeRequest: writeConverseRequest,
  readAnswer: readConverseAnswer,
  decoder: (context) => new ConverseDecoder(context),
  readError: errorInSuccess,
};
