import type { UseFormReturnType } from '@mantine/form';

/** What an input takes from a form if it reports values and not events. */
export function fieldOf<V extends object, K extends keyof V & string>(
  form: UseFormReturnType<V>,
  name: K,
) {
  return {
    value: form.getValues()[name],
    error: form.errors[name],
    // Mantine's type of the value does not resolve for a type parameter.
    onChange: (value: V[K]) => form.setFieldValue(name, value as never),
  };
}
