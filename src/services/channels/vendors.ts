/** The vendors of models, which are part of the product and not of a site. */
import { pageWindow, type Service, toPage } from '../../api/call.ts';
import type { vendorCalls } from '../../api/channels/vendor.ts';
import type { Context } from '../../context.ts';
import { VENDOR_NUMBERS } from '../../domain/channels/model-vendors.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';

type Calls = Service<typeof vendorCalls, Context>;

const ALL = [...VENDOR_NUMBERS].map(([name, id]) => ({ id, name, status: 1 }));

export const list: Calls['list'] = async (_ctx, _actor, { keyword = '', ...query }) => {
  const window = pageWindow(query);
  const part = keyword.toLowerCase();
  const found = ALL.filter(({ name }) => name.toLowerCase().includes(part));
  return toPage(window, found.slice(window.offset, window.offset + window.limit), found.length);
};

export const search = list;

/** @throws AppError input_invalid for an unknown id. */
export const get: Calls['get'] = async (_ctx, _actor, { id }) => {
  const vendor = ALL.find((one) => one.id === id);
  if (vendor === undefined) throw invalidInput('id', 'too_large', { most: ALL.length });
  return vendor;
};
