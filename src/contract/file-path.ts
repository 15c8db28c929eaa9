import * as z from 'zod';

/** A path exactly as it is, spaces at its ends included; no system has longer ones. */
export const FilePath = z.string().min(1).max(4_096);
