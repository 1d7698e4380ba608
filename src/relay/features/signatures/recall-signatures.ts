/** Looks up the signatures of Gemini's function calls that the client left out. */
import type { Block } from '../../../dialects/hub/blocks.ts';
import { requestOf } from '../../call/hub-request.ts';
import { keptSignatures } from '../../translate/kept-signatures.ts';
import type { Feature } from '../feature.ts';

/** Looks up at most the latest calls of a conversation. */
const MAX_REQUESTED = 200;

export const signatures: Feature = {
  route: {
    appliesTo: ({ pair }) =>
      pair !== undefined && !pair.isSame && pair.upstream.needsSignatures === true,
    async prepare({ ctx }, call) {
      const known = call.attachments.signatures;
      if (known !== undefined) return { signatures: known };
      const ids = requestOf(call).messages.flatMap(({ blocks }) => unsignedCalls(blocks));
      const requested = [...new Set(ids)].slice(-MAX_REQUESTED);
      return { signatures: await keptSignatures(ctx, requested) };
    },
  },
};

function unsignedCalls(blocks: readonly Block[]): readonly string[] {
  return blocks.flatMap((block) =>
    block.kind === 'tool_call' && block.signature === undefined ? [block.id] : [],
  );
}
