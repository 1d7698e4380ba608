import type { UseFormReturnType } from '@mantine/form';
import type { Channel } from '../../calls.ts';
import type { ChannelValues } from '../channel-form.ts';

export type ChannelFormApi = UseFormReturnType<ChannelValues>;

export interface FieldsProps {
  readonly form: ChannelFormApi;
  /** undefined for a new one. */
  readonly channel: Channel | undefined;
}
