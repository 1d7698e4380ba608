/** The vendors that model names are recognized of, as clients of this family of gateways read them. */
import * as z from 'zod/mini';
import { ById, call, PageQuery, pageSchema } from '../call.ts';
import { FilterText } from '../fields.ts';

const Vendor = z.object({
  id: z.int(),
  name: z.string(),
  /** 1: always in use. */
  status: z.int(),
});

/** `keyword`: part of the name. */
const listRow = {
  input: z.extend(PageQuery, { keyword: FilterText }),
  reply: pageSchema(Vendor),
} as const;

export const vendorCalls = {
  list: call.admin('GET /api/vendors/', { ...listRow, summary: 'Lists the vendors of models' }),
  search: call.admin('GET /api/vendors/search', {
    ...listRow,
    summary: 'Searches vendors of models',
  }),
  get: call.admin('GET /api/vendors/:id', {
    summary: 'Shows a vendor of models',
    input: ById,
    reply: Vendor,
  }),
};
