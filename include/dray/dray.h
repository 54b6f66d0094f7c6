// libdray in one include.
#pragma once

#include "dray/checksum_kind.h"
#include "dray/client.h"
#include "dray/object_url.h"
#include "dray/result.h"
