/** Replaces references to items of translated answers by the items that were kept. */
import { referencedItem, translatedAnswerOf } from '../../../dialects/responses/forward.ts';
import type { Awaitable } from '../../../domain/awaitable.ts';
import { textIn } from '../../../json/read-json.ts';
import { bytesOfKept, keptItemsOf } from '../../../services/channels/kept-answers.ts';
import { writeEdited, writtenBytes } from '../../body/write-json.ts';
import { type Intent, readIntent } from '../../call/call-intent.ts';
import type { Caller } from '../../call/caller.ts';
import type { Received } from '../../call/incoming-call.ts';
import type { Ports } from '../../call/relay-ports.ts';

/** Answers that one request can refer to; the items of others stay unknown. */
const MAX_ANSWERS = 1_000;

/**
 * The request as if its client had sent the items itself. References to unknown items, and to those
 * that an upstream stores, stay (`capableCandidates`).
 * @throws AppError body_needs_too_much, body_share_full, body_budget_full; what `readIntent` throws.
 */
export function withKeptItems(
  relay: Ports<'ctx'>,
  { user }: Caller,
  received: Received,
  intent: Intent,
): Awaitable<Intent> {
  const { input } = intent.sent;
  if (!Array.isArray(input)) return intent;
  const answers = new Set(input.flatMap((item: unknown) => answerOf(item) ?? []));
  if (answers.size === 0) return intent;
  return resolved(relay, user.id, received, intent, [...answers].slice(0, MAX_ANSWERS));
}

function answerOf(item: unknown): string | undefined {
  const id = referencedItem(item);
  return id === undefined ? undefined : translatedAnswerOf(id);
}

async function resolved(
  { ctx }: Ports<'ctx'>,
  userId: number,
  received: Received,
  intent: Intent,
  answers: readonly string[],
): Promise<Intent> {
  const { input } = intent.sent;
  received.upload.grow(await bytesOfKept(ctx, userId, answers));
  const kept = await keptItemsOf(ctx, userId, answers);
  if (kept.length === 0 || !Array.isArray(input)) return intent;
  const items = new Map(kept.map((item) => [textIn(item, 'id'), item]));
  const found = input.map((item: unknown) => items.get(referencedItem(item)) ?? item);
  const written = await writeEdited(intent, { ...intent.sent, input: found });
  const body = writtenBytes(written);
  received.upload.grow(body.length);
  return readIntent({ ...received, body });
}
