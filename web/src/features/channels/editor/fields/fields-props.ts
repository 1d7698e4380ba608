import type { UseFormReturnType } from '@mantine/form';
import type { Channel } from '../../calls.ts';
import type { ChannelValues } from '../channel-form.ts';

export type ChannelForm = UseFormReturnType<ChannelValues>;

export interface FieldsProps {
  readonly form: ChannelForm;
  /** undefined for a new one. */
  readonly channel: Channel | undefined;
}
