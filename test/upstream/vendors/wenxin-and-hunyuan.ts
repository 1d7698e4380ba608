/** Baidu's first chat API (Wenxin) and Tencent's signed one (Hunyuan). */
import * as z from 'zod/mini';
import { app, BARE, frame, textOf, texts, type VendorAnswer } from './vendor-protocol.ts';

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
  plain: (answer) => ({
    id: answer.id,
    object: 'chat.completion',
    result: textOf(answer),
    is_truncated: answer.choice.finish === 'length',
    need_clear_history: false,
    usage: answer.usage,
  }),
  frames: (answer) => [
    ...texts(answer, (result) => ({ id: answer.id, is_end: false, is_truncated: false, result })),
    frame(
      {
        id: answer.id,
        is_end: true,
        is_truncated: answer.choice.finish === 'length',
        result: '',
        usage: answer.usage,
      },
      0,
      true,
    ),
  ],
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
  plain: (answer) => ({
    Response: {
      ...hunyuanHead(answer),
      Choices: [
        {
          FinishReason: answer.choice.finish,
          Message: { Role: 'assistant', Content: textOf(answer), ...hunyuanCalls(answer) },
        },
      ],
      RequestId: 'r',
    },
  }),
  frames: (answer) => [
    ...texts(answer, (Content) => ({
      ...hunyuanHead(answer),
      Choices: [{ FinishReason: '', Delta: { Role: 'assistant', Content } }],
    })),
    frame(
      {
        ...hunyuanHead(answer),
        Choices: [
          {
            FinishReason: answer.choice.finish,
            Delta: { Role: 'assistant', Content: '', ...hunyuanCalls(answer) },
          },
        ],
      },
      0,
      true,
    ),
  ],
});

function hunyuanHead({ id, usage }: VendorAnswer) {
  return {
    Id: id,
    Created: 1_767_225_600,
    Note: '',
    Usage: {
      PromptTokens: usage.prompt_tokens,
      CompletionTokens: usage.completion_tokens,
      TotalTokens: usage.total_tokens,
    },
  };
}

function hunyuanCalls({ choice }: VendorAnswer) {
  if (choice.calls.length === 0) return {};
  return {
    ToolCalls: choice.calls.map(({ id, name, pieces }, Index) => ({
      Id: id,
      Type: 'function',
      Function: { Name: name, Arguments: pieces.join('') },
      Index,
    })),
  };
}
