/** Baidu's first chat API (Wenxin) and Tencent's signed one (Hunyuan). */
import * as z from 'zod/mini';
import { frameSet } from '../answers/frame-set.ts';
import { app, BARE } from './vendor-protocol.ts';

export const wenxin = app({
  body: z.strictObject({
    messages: z
      .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.string() }))
      .check(
        z.refine(
          (messages) => messages.every(({ role }, at) => (role === 'user') === (at % 2 === 0)),
          'the roles must alternate',
        ),
      ),
    system: z.optional(z.string()),
    stream: z.optional(z.boolean()),
    temperature: z.optional(z.number().check(z.positive(), z.lte(1))),
    top_p: z.optional(z.number()),
    max_output_tokens: z.optional(z.int().check(z.gte(2))),
    stop: z.optional(z.array(z.string())),
    response_format: z.optional(z.enum(['json_object', 'text'])),
    user_id: z.optional(z.string()),
  }),
  wire: { ...BARE, error: { error_code: 336000, error_msg: 'Internal error' } },
  streams: (body) => body.stream === true,
  chat: (body) => ({
    model: 'ernie',
    messages: [{ role: 'system', content: body.system ?? '' }, ...body.messages],
    max_tokens: body.max_output_tokens,
  }),
  frames: frameSet('wenxin'),
});

const HunyuanPart = z.discriminatedUnion('Type', [
  z.strictObject({ Type: z.literal('text'), Text: z.string() }),
  z.strictObject({
    Type: z.literal('image_url'),
    ImageUrl: z.looseObject({ Url: z.string() }),
  }),
]);

function hunyuanPart(part: z.output<typeof HunyuanPart>) {
  if (part.Type === 'text') return { type: 'text', text: part.Text };
  return { type: 'image_url', image_url: part.ImageUrl.Url };
}

export const hunyuan = app({
  body: z.strictObject({
    Model: z.string(),
    Messages: z.array(
      z.looseObject({
        Role: z.enum(['system', 'user', 'assistant', 'tool']),
        Content: z.optional(z.string()),
        Contents: z.optional(z.array(HunyuanPart)),
      }),
    ),
    Stream: z.boolean(),
    Temperature: z.optional(z.number()),
    TopP: z.optional(z.number()),
    Tools: z.optional(
      z.array(
        z.strictObject({
          Type: z.literal('function'),
          Function: z.strictObject({
            Name: z.string(),
            Description: z.optional(z.string()),
            Parameters: z.string(),
          }),
        }),
      ),
    ),
    ToolChoice: z.optional(z.string()),
    CustomTool: z.optional(z.unknown()),
    Seed: z.optional(z.int()),
    Stop: z.optional(z.array(z.string())),
  }),
  wire: { ...BARE, error: { ErrorMsg: { Code: 4001, Msg: 'broken' } } },
  streams: (body) => body.Stream,
  chat: (body) => ({
    model: body.Model,
    messages: body.Messages.map(({ Role, Content, Contents }) => ({
      role: Role,
      content: Contents?.map(hunyuanPart) ?? Content,
    })),
    tools: body.Tools?.map(({ Function: fn }) => ({
      type: 'function',
      function: { name: fn.Name, parameters: JSON.parse(fn.Parameters) },
    })),
  }),
  frames: frameSet('hunyuan'),
});
