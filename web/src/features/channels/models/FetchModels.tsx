import { useTranslation } from 'react-i18next';
import { useAction } from '../../../hooks/useAction.ts';
import { type Channel, channelKeys, channelModels, channels } from '../calls.ts';
import { modelsOf } from '../list/channel-cells.tsx';
import { ModelDiffDialog } from './ModelDiffDialog.tsx';

interface FetchOfChannelProps {
  /** undefined is closed. */
  readonly channel: Channel | undefined;
  readonly onClose: () => void;
}

/** Syncs the models of an existing channel with its upstream. */
export function FetchOfChannel({ channel, onClose }: FetchOfChannelProps) {
  const { t } = useTranslation();
  const save = useAction(
    ({ id, models }: { readonly id: number; readonly models: readonly string[] }) =>
      channels.edit({ id, models: models.join(',') }),
    {
      touches: [channelKeys],
      done: ({ name }) => t('channel.done.saved', { name }),
      onDone: onClose,
    },
  );
  const id = channel?.id ?? 0;
  return (
    <ModelDiffDialog
      isOpen={channel !== undefined}
      onClose={onClose}
      current={channel ? modelsOf(channel) : []}
      fetch={(signal) => channelModels.fetch({ id }, { signal })}
      onApply={(models) => save.mutate({ id, models })}
      isBusy={save.isPending}
    />
  );
}
