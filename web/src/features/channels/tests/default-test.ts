/** Tests a channel with its test model, without a dialog. */
import type { TFunction } from 'i18next';
import { toast } from '../../../components/layout/toasts.tsx';
import { durationText } from '../../../lib/text/dates.ts';
import { type Channel, channelProbe, type Probe } from '../calls.ts';
import { storeTest } from './test-results.ts';

/** Shows the result in a toast; true on success. */
export async function isWorking({ id }: Channel, t: TFunction): Promise<boolean> {
  return showTest(id, (probe) =>
    probe.success
      ? t('channel.test.good', { time: durationText(probe.time_ms) })
      : t('channel.test.bad', { message: reasonOf(probe) }),
  );
}

/** For a row: the toasts name the channel and show that the test is running. */
export async function testRow({ id, name }: Channel, t: TFunction): Promise<void> {
  const toastId = `channel-test-${id}`;
  toast.progress(toastId, t('channel.test.asking', { name }));
  try {
    await showTest(id, (probe) =>
      probe.success
        ? t('channel.test.goodOf', { name, time: durationText(probe.time_ms) })
        : t('channel.test.badOf', { name, message: reasonOf(probe) }),
    );
  } finally {
    toast.endProgress(toastId);
  }
}

async function showTest(id: number, textOf: (probe: Probe) => string): Promise<boolean> {
  try {
    const probe = await channelProbe.test({ id });
    storeTest(probe);
    if (probe.success) toast.success(textOf(probe));
    else toast.error(textOf(probe));
    return probe.success;
  } catch (error) {
    toast.failure(error);
    return false;
  }
}

function reasonOf({ message, status_code }: Probe): string {
  return message || `HTTP ${status_code}`;
}
