// A message with Anthropic's SDK. The gateway translates it for upstreams of other vendors.
import { env, stdout } from 'node:process';
import Anthropic from '@anthropic-ai/sdk';

const { GATEWAY_URL, GATEWAY_KEY, MODEL } = env;
const client = new Anthropic({ baseURL: GATEWAY_URL, apiKey: GATEWAY_KEY });

const message = await client.messages.create({
  model: MODEL,
  max_tokens: 256,
  messages: [{ role: 'user', content: 'Say hello.' }],
});
const texts = message.content.map((block) => (block.type === 'text' ? block.text : ''));
stdout.write(`${texts.join('')}\n${message.usage.output_tokens} tokens\n`);
