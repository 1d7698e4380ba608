import { Code } from '@mantine/core';
import { splitRequestId } from '../../../../src/domain/errors/error-shapes.ts';

/** A message of the model API. The id of the call stands apart from the words, as in toasts. */
export function ModelProblem({ text }: { readonly text: string }) {
  const { message, requestId } = splitRequestId(text);
  return (
    <>
      {message} {requestId !== '' && <Code fz={11}>{requestId}</Code>}
    </>
  );
}
