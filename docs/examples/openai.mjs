// A streamed chat with OpenAI's SDK, which only needs the address and the key of the gateway.
import { env, stdout } from 'node:process';
import OpenAI from 'openai';

const { GATEWAY_URL, GATEWAY_KEY, MODEL } = env;
const client = new OpenAI({ baseURL: `${GATEWAY_URL}/v1`, apiKey: GATEWAY_KEY });

const stream = await client.chat.completions.create({
  model: MODEL,
  messages: [{ role: 'user', content: 'Say hello.' }],
  stream: true,
  stream_options: { include_usage: true },
});
for await (const { choices, usage } of stream) {
  stdout.write(choices[0]?.delta.content ?? '');
  if (usage) stdout.write(`\n${usage.total_tokens} tokens\n`);
}
