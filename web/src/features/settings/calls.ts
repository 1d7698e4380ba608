import type * as z from 'zod/mini';
import { groupCalls } from '../../../../src/api/group.ts';
import { type Job as JobReply, jobCalls } from '../../../../src/api/job.ts';
import { logCalls } from '../../../../src/api/log.ts';
import { noticeCalls } from '../../../../src/api/notice.ts';
import { oauthCalls } from '../../../../src/api/oauth.ts';
import { type OptionAudit, optionCalls } from '../../../../src/api/option.ts';
import { type PriceEntry, priceCalls } from '../../../../src/api/price.ts';
import { priceSourceCalls } from '../../../../src/api/price-source.ts';
import { client } from '../../lib/api/api.ts';

export type Job = z.output<typeof JobReply>;
export type OptionChange = z.output<typeof OptionAudit>;
export type Price = z.output<typeof PriceEntry>;

export const options = client(optionCalls);
export const prices = client(priceCalls);
export const identity = client({ discover: oauthCalls.discover });
export const priceSource = client(priceSourceCalls);
export const jobs = client(jobCalls);
export const groupsApi = client({ list: groupCalls.list });
export const logCleanup = client({ clearPart: logCalls.clearPart });
export const testMail = client({ test: noticeCalls.testMail });
