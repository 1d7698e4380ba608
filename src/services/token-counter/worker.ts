/**
 * The tokenizer's worker thread: loading the vocabulary takes a third of a second and 64 MB, and
 * some texts take long to encode; neither may block a stream. Returns a count per text of each job.
 */
import { parentPort } from 'node:worker_threads';
import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base';
import { withoutLongRuns } from './long-runs.ts';
import type { CountJob, CountReply } from './protocol.ts';

/** Words cached by the encoder; its own default would grow to ten times that. */
const CACHED_WORDS = 10_000;
/** `<|endoftext|>` and similar tokens in a prompt are plain text, not control tokens or errors. */
const PLAIN_TEXT = { disallowedSpecial: new Set<string>() };

setMergeCacheSize(CACHED_WORDS);

parentPort?.on('message', (job: CountJob) => {
  const reply: CountReply = { id: job.id, counts: job.texts.map(countText) };
  parentPort?.postMessage(reply);
});

function countText(text: string): number {
  return withoutLongRuns(text).reduce((sum, piece) => sum + countTokens(piece, PLAIN_TEXT), 0);
}
