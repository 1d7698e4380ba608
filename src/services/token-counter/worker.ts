/**
 * The tokenizer's own thread: loading its vocabulary takes a third of a second and 64 MB, and some
 * texts take long to encode; neither may hold up a stream. Answers each job with a count per text.
 */
import { parentPort } from 'node:worker_threads';
import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base';
import { withoutLongRuns } from './long-runs.ts';
import type { CountJob, CountReply } from './protocol.ts';

/** Words the encoder remembers; its own default would grow to ten times that. */
const CACHED_WORDS = 10_000;
/** `<|endoftext|>` and the like in a prompt are plain text, not control tokens and no error. */
const PLAIN_TEXT = { disallowedSpecial: new Set<string>() };

setMergeCacheSize(CACHED_WORDS);

parentPort?.on('message', (job: CountJob) => {
  const reply: CountReply = { id: job.id, counts: job.texts.map(countText) };
  parentPort?.postMessage(reply);
});

function countText(text: string): number {
  return withoutLongRuns(text).reduce((sum, piece) => sum + countTokens(piece, PLAIN_TEXT), 0);
}
